// A page beside the chat: what was read, written and being answered there stays, and one key leads back.
import { says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { writeSession } from "../gateway/journals.ts";
import { answers, openBrowser, until } from "./support.ts";

const LINES =
  "What was said in this turn is long enough to stand on more lines than one when it is read beside a page. ";

test.for([
  [1366, "light", "en"],
  [1100, "dark", "zh-CN"],
] as const)(
  "a page opens beside the chat, or over it on request; place, draft and answer of the chat are kept: %s px",
  async ([width, theme, language], t) => {
    const place = await openBrowser(t, {
      theme,
      language,
      prepare: ({ home }) =>
        writeSession(home, { key: "web:long", turns: 60, answer: (turn) => `Answer ${turn}. ${LINES.repeat(4)}` }),
    });
    const { page, gateway } = place;
    const zh = language === "zh-CN";
    await page.setViewportSize({ width, height: 800 });
    const [{ id }] = (await gateway.api("/sessions")).body.items;
    await page.goto(`${gateway.url}/s/${id}`);
    const gate = stalls({ after: "begun", rest: says(" and done") });
    gateway.model.replies(gate);
    await page.locator("#composer").fill("go");
    await page.keyboard.press("Enter");
    await until(async () => (await answers(page)).at(-1)).toBe("begun");
    await page.locator("#composer").fill("half a thought");
    await page.locator(".feed").evaluate((feed) => feed.scrollBy(0, -4000));
    await page.locator(".feed-down").waitFor();
    await page.locator(".feed").getByText("Answer 45.").waitFor();
    await page
      .locator(".feed")
      .getByText("Answer 45.")
      .evaluate((item) => item.scrollIntoView({ block: "center" }));
    await until(() => isInSight(page)).toBe(true);

    await page.getByRole("link", { name: zh ? "记忆" : "Memory" }).click();
    await page.locator('.panel [data-page="memory"]').waitFor();
    const [chat, panel] = [await page.locator(".chat").boundingBox(), await page.locator(".panel").boundingBox()];
    expect((chat?.x ?? 0) + (chat?.width ?? 0)).toBeLessThanOrEqual(panel?.x ?? 0);
    expect(chat?.width).toBeGreaterThanOrEqual(360);
    await until(() => isInSight(page)).toBe(true);
    await place.isClean();

    await page.locator(".panel-expand").click();
    await until(() => page.locator("#composer").isVisible()).toBe(false);
    const whole = await page.locator(".panel").boundingBox();
    expect([whole?.x, whole?.width]).toEqual([56, width - 56]);
    await place.isClean();
    gate.release();
    await gateway.app.agent.idle();
    const back = page.getByRole("button", { name: zh ? "对话 Esc" : "Chat Esc" });
    expect(await back.getAttribute("title")).toBe(zh ? "仅显示对话" : "Back to the chat alone");
    await page.keyboard.press("Escape");
    await until(() => page.locator(".panel").count()).toBe(0);
    await until(() => isInSight(page)).toBe(true);
    expect(await page.locator("#composer").inputValue()).toBe("half a thought");
    await page.locator(".feed-down button").click();
    await until(async () => (await answers(page)).at(-1)).toBe("begun and done");

    await page.getByRole("link", { name: zh ? "日程" : "Schedule" }).click();
    await until(() => page.locator("#composer").isVisible()).toBe(false); // as it was left
    await back.click();
    await until(() => page.locator("#composer").isVisible()).toBe(true);
    await place.isClean();
  },
);

/** What is read stands whole in the window of the messages. */
function isInSight(page: Page): Promise<boolean> {
  return page.locator(".feed").evaluate((feed) => {
    const { top, bottom } = feed.getBoundingClientRect();
    const item = [...feed.querySelectorAll(".item")].find((one) => one.textContent.includes("Answer 45."));
    const place = item?.getBoundingClientRect();
    return place !== undefined && place.top >= top && place.bottom <= bottom;
  });
}
