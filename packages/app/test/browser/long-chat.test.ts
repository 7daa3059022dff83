import { expect, test } from "vitest";
import { writeSession } from "../gateway/journals.ts";
import { openBrowser, until, type BrowserPlace } from "./support.ts";

const MESSAGES = 10_000;

/** A chat of 10,000 messages, in the state directory before the gateway starts. */
async function openLong(t: Parameters<typeof openBrowser>[0]): Promise<BrowserPlace & { readonly address: string }> {
  let id = "";
  const place = await openBrowser(t, {
    prepare: ({ home }) => {
      id = writeSession(home, {
        key: "web:long",
        turns: MESSAGES / 2,
        question: (turn) => (turn === 6 ? "The zanzibar question" : `Question ${turn}`),
        answer: (turn) => `Answer **${turn}**\n\n- ${"one word after the other ".repeat(4)}\n- \`code\` and more`,
      });
    },
  });
  return { ...place, address: `/s/${id}` };
}

test("row 36: Ctrl+F in a chat of 10,000 messages finds the one of the first turns, goes there and marks it", async (t) => {
  const place = await openLong(t);
  const { page, gateway, address } = place;
  await page.goto(gateway.url + address);
  await page.getByText("Question 5000", { exact: true }).waitFor();
  await page.locator("#composer").press("Control+f");
  await page.getByRole("search").getByRole("searchbox").fill("zanzibar");
  const found = page.locator(".item", { hasText: "The zanzibar question" });
  await found.waitFor({ timeout: 30_000 });
  expect(await page.getByRole("search").getByRole("status").innerText()).toBe("1 of 1");
  // The day and eleven messages stand before it; marked is what has the focus.
  await until(() => page.evaluate(() => document.activeElement?.getAttribute("aria-posinset"))).toBe("12");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("The zanzibar question");
  const box = await found.boundingBox();
  expect(box?.y).toBeGreaterThan(0);
  expect(box?.y).toBeLessThan(800);
  await place.isClean();
});
