// A temporary chat on the page: it says what becomes of it, before the first word and until it is ended.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until, violations } from "./support.ts";

const PLANTED = "zanzibar-7f3a91c2";

function filesWith(folder: string, word: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .filter((path) => readFileSync(join(folder, path)).includes(word));
}

test("a temporary chat begins from the list, says what stays, is in no search, and ends with a button", async (t) => {
  const place = await openBrowser(t, { expected: ["404", "410"] });
  const { page, gateway } = place;
  gateway.model.replies(says("the first"), says("the second"));
  await page.getByRole("button", { name: "New temporary chat" }).click();
  const line = page.getByRole("note").filter({ hasText: "Not in memory, search or backup." });
  await line.waitFor();
  expect(await line.getByRole("button").count()).toBe(0); // there is nothing to end yet
  await say(page, `about ${PLANTED}`);
  await until(() => answers(page)).toEqual(["the first"]);
  expect(await line.innerText()).toContain("What it cost and the audit lines stay");
  const rows = page.locator(".session");
  await until(() => rows.locator(".about").allInnerTexts()).toEqual([expect.stringContaining("Temporary")]);
  await page.locator("#list-search").fill(PLANTED);
  await page
    .locator(".side-list")
    .getByText(/^Nothing/)
    .first()
    .waitFor();
  await page.locator("#list-search").fill("");
  // It goes on after a reload, and cannot be named: a name would outlive it.
  await page.reload();
  await until(() => answers(page)).toEqual(["the first"]);
  await line.waitFor();
  await page.locator(".session a").focus();
  await page.keyboard.press("F2");
  expect(await page.locator("input.rename").count()).toBe(0);
  await say(page, "and more");
  await until(() => answers(page)).toEqual(["the first", "the second"]);
  expect(await violations(page)).toEqual([]);
  await line.getByRole("button", { name: "End chat" }).click();
  await page.getByText("Nothing of what was said is kept").waitFor();
  await until(() => rows.count()).toBe(0);
  expect(await line.count()).toBe(0);
  expect(new URL(page.url()).pathname).toBe("/");
  await until(() => filesWith(gateway.home, PLANTED)).toEqual([]);
  // What comes next is kept.
  gateway.model.replies(says("the third"));
  await say(page, "kept");
  await until(() => answers(page)).toEqual(["the third"]);
  expect((await gateway.api("/sessions")).body.items).toMatchObject([{ source: "web" }]);
  expect(
    await page.evaluate((word) => JSON.stringify({ ...localStorage, ...sessionStorage }).includes(word), PLANTED),
  ).toBe(false);
  await place.isClean();
});

test("on a phone and in Chinese a temporary chat begins from the palette, and its line fits", async (t) => {
  const place = await openBrowser(t, { phone: true, language: "zh-CN", theme: "dark" });
  const { page, gateway } = place;
  gateway.model.replies(says("好的"));
  await page.keyboard.press("Control+K");
  await page.getByRole("combobox").fill("临时");
  await page.keyboard.press("Enter");
  const line = page.getByRole("note").filter({ hasText: "不进入记忆、搜索和备份" });
  await line.waitFor();
  await say(page, "你好");
  await until(() => answers(page)).toEqual(["好的"]);
  const end = line.getByRole("button", { name: "结束对话" });
  await end.waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect((await end.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await place.isClean();
});
