// Order, size and words as people need them: in a narrow column, under a finger, while an answer is written.
import { says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { answers, holdEvents, openBrowser, say, until } from "./support.ts";

test("DF56 a message that is sent while an answer is written stands below it", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] });
  const { page, gateway } = place;
  const line = await holdEvents(page);
  const gate = stalls({ after: "half of an answer", rest: says(" and the rest") });
  gateway.model.replies(gate, says("second"));
  await say(page, "first");
  await until(() => answers(page)).toEqual(["half of an answer"]);
  line.hold();
  await say(page, "meanwhile");
  await page.locator(".item.sending").waitFor();
  expect(await page.locator(".feed .item").allInnerTexts()).toEqual([
    expect.stringContaining("first"),
    expect.stringContaining("half of an answer"),
    expect.stringContaining("meanwhile"),
  ]);
  line.release();
  gate.release();
  await until(() => page.locator(".item.sending").count()).toBe(0);
  await place.isClean();
});

test("DF56 in the narrow column each row of a table is a card, whole and with its labels; settings say nothing of null", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=tools`);
  const table = page.locator(".p-table").first();
  await table.waitFor();
  expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(1);
  const label = await table
    .locator("td[data-label]")
    .first()
    .evaluate((one) => getComputedStyle(one, "::before").content);
  expect(label.length).toBeGreaterThan(3);
  await place.isClean();
  await page.goto(`${gateway.url}/?p=settings`);
  await page.getByRole("link", { name: /^Assistant/ }).click();
  await page.locator(".set-row").first().waitFor();
  expect(await page.locator(".set-rows").first().innerText()).not.toMatch(/\bnull\b/);
  await place.isClean();
});
