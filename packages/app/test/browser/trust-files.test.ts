import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { clonesRepository, savesLetter } from "../gateway/strangers-files.ts";
import { answers, openBrowser, say, until } from "./support.ts";

test("SC15 SC16 an answer says that its turn left a stranger's text in files, and Keep and trust makes what it shows one's own", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const labelled = async (): Promise<readonly string[]> =>
    (await gateway.app.inside.labelledFiles.list()).map(({ path }) => path);
  savesLetter(gateway, "notes/a.md", "b.md", "c.md");
  await say(page, "save it");
  await until(() => answers(page)).toEqual(["Saved."]);
  const line = page.getByText("3 files of this turn count as strangers' text (/trust files)");
  await line.waitFor();
  savesLetter(gateway, "later.md"); // another turn's
  await say(page, "and another");
  await until(() => answers(page)).toEqual(["Saved.", "Saved."]);
  await page.getByText("1 file of this turn counts as strangers' text (/trust files)").waitFor();
  gateway.model.replies(says("Hello."));
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["Saved.", "Saved.", "Hello."]);
  await until(() => page.getByText("of this turn").count()).toBe(2);

  await page.locator(".item-foot").first().getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("menuitem", { name: "Undo file changes…" }).click();
  await page.getByRole("button", { name: "Keep and trust…" }).click();
  const dialog = page.getByRole("dialog", { name: "Keep and trust" });
  await until(() => dialog.getByRole("listitem").allInnerTexts()).toEqual([
    "b.md written after a stranger's text was read",
    "c.md written after a stranger's text was read",
    "notes/a.md written after a stranger's text was read",
  ]);
  if (process.env["MARGAY_SHOT"] !== undefined) await page.screenshot({ path: process.env["MARGAY_SHOT"] });
  await place.isClean();
  expect(await labelled()).toEqual(["b.md", "c.md", "later.md", "notes/a.md"]);
  writeFileSync(join(gateway.workspace, "c.md"), "Something else by now.\n");
  await dialog.getByRole("button", { name: "Trust 3 files" }).click();
  await page.locator(".toast", { hasText: "1 changed meanwhile and was left: c.md" }).waitFor();
  await page.locator(".toast", { hasText: "2 files are yours now" }).waitFor();
  await until(labelled).toEqual(["c.md", "later.md"]);
  await place.isClean();
});

test("SC15 Keep and trust is offered only where a turn left a stranger's text, and in Chinese too", async (t) => {
  const place = await openBrowser(t, { language: "zh-CN" });
  const { page, gateway } = place;
  savesLetter(gateway, "a.md");
  await say(page, "存下来");
  await until(() => answers(page)).toEqual(["Saved."]);
  await page.getByText("本轮有 1 个文件被视为外来内容（/trust files）").waitFor();
  const open = async (): Promise<void> => {
    await page.locator(".item-foot").getByRole("button", { name: "消息操作" }).click();
    await page.getByRole("menuitem", { name: "撤销文件改动…" }).click();
  };
  await open();
  await page.getByRole("button", { name: "保留并信任…" }).click();
  await page.getByRole("button", { name: "信任 1 个文件" }).click();
  await page.locator(".toast", { hasText: "1 个文件已视为您自己的" }).waitFor();
  const asked = page.waitForResponse((response) => response.url().endsWith("/workspace/labels"));
  await open();
  await asked;
  await page.getByRole("button", { name: "撤销 1 处改动" }).waitFor();
  await until(() => page.getByRole("button", { name: "保留并信任…" }).count()).toBe(0);
  await place.isClean();
});

test("SC17 Keep and trust asks of cloned repositories whose they are", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  for (const [path, origin] of [
    ["cloned", "github.com/x/y"],
    ["mine", "github.com/x/z"],
  ] as const) {
    clonesRepository(gateway, path, origin);
    await gateway.app.agent.send(`cli:${path}`, "read it").finished;
  }
  savesLetter(gateway, "a.md");
  await say(page, "save it");
  await until(() => answers(page)).toEqual(["Saved."]);
  await page.locator(".item-foot").first().getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("menuitem", { name: "Undo file changes…" }).click();
  await page.getByRole("button", { name: "Keep and trust…" }).click();
  const dialog = page.getByRole("dialog", { name: "Keep and trust" });
  const row = (path: string) => dialog.getByRole("listitem").filter({ hasText: path });
  await row("cloned/").getByText("came from github.com/x/y. Yours, or a stranger's?").waitFor();
  await place.isClean();
  await row("cloned/").getByRole("button", { name: "A stranger's" }).click();
  await row("mine/").getByRole("button", { name: "Yours" }).click();
  await until(() => dialog.getByRole("listitem").count()).toBe(1);
  const left = async (): Promise<readonly unknown[]> =>
    (await gateway.app.inside.labelledFiles.list()).map(({ path, origin }) => [path, origin]);
  await until(left).toEqual([
    ["a.md", undefined],
    ["cloned/", undefined],
  ]);
  await dialog.getByRole("button", { name: "Trust 1 file" }).click();
  await until(left).toEqual([["cloned/", undefined]]);
});
