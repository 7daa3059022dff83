// The pages at the left, or below on a phone; the list with what was said last; what programs started left out.
import { callsTool, says } from "@margay/core/testing";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { writeSession } from "../gateway/journals.ts";
import { answers, openBrowser, say, until } from "./support.ts";

test("DF54 the pages have keys and names on request, count what waits, and lead home while the chat stays", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const rail = page.getByRole("navigation", { name: "Pages" });
  const width = async (): Promise<number> => (await rail.boundingBox())?.width ?? 0;
  expect(await width()).toBe(56);
  const tips = await rail.locator("[title]").evaluateAll((all) => all.map((one) => one.getAttribute("title")));
  expect(tips).toEqual([
    "Home (Alt+N)",
    "Conversation list (Ctrl+B)",
    "Approvals (Alt+A)",
    "Schedule",
    "Memory",
    "Channels",
    "Usage",
    "More pages",
    "Find anything (Ctrl+K)",
    "Settings",
    "Appearance and language",
  ]);
  gateway.model.route(() => true, callsTool("exec", { command: "touch made" }), says("done"));
  await say(page, "Make it.");
  await until(() => rail.locator('a[href*="approvals"] .badge').allInnerTexts()).toEqual(["1"]);
  const row = page.locator(".session");
  await until(() => row.locator(".about").innerText()).toBe("waiting for you");
  expect(await row.getByTitle("waiting for you").count()).toBe(1);
  await rail.getByRole("button", { name: "Chats" }).click();
  await until(() => row.isVisible()).toBe(false);
  await rail.getByRole("button", { name: "Chats" }).click();
  await row.waitFor();

  await rail.getByRole("button", { name: "More pages" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Show names" }).click();
  await until(width).toBe(168);
  await page.reload();
  await until(width).toBe(168);
  await place.isClean();

  await rail.getByRole("link", { name: "Memory" }).click();
  await page.locator('.panel [data-page="memory"]').waitFor();
  expect(await page.locator(".chat .approval").isVisible()).toBe(true);
  await rail.getByRole("link", { name: "Home" }).click();
  await page.locator(".home-line.waits").waitFor();
  expect(await page.locator(".panel").count()).toBe(0);
});

test("DF54 the list shows what was said last, and leaves out what programs started until it is asked for", async (t) => {
  const place = await openBrowser(t, {
    prepare: ({ home }) => {
      writeSession(home, {
        ...{ key: "web:garden", turns: 1, question: () => "The garden." },
        answer: () => "It is **green**, says `my_notes_md` of 2 * 3 ** 4: ```html <b>",
      });
      writeSession(home, { key: "cron:digest", turns: 1, question: () => "The digest." });
    },
  });
  const { page } = place;
  const titles = async (): Promise<readonly string[]> =>
    (await page.locator(".session .title").allInnerTexts()).toSorted();
  await until(titles).toEqual(["The digest.", "The garden."]);
  const about = page.locator(".session", { hasText: "The garden." }).locator(".about");
  expect(await drawn(about)).toBe('"It is green, says my_notes_md of 2 * 3 ** 4: <b>"');
  const toggle = page.getByRole("menuitemcheckbox", { name: "Hide what programs started" });
  await page.getByRole("button", { name: "Filter" }).click();
  await toggle.click();
  await until(titles).toEqual(["The garden."]);
  await page.reload();
  await page.locator(".session").waitFor();
  expect(await titles()).toEqual(["The garden."]);
  await place.isClean();
  await page.getByRole("button", { name: "Filter" }).click();
  await toggle.click();
  await until(titles).toEqual(["The digest.", "The garden."]);
});

test("row 45: on a phone the pages are a bar below, the list is a page, and a conversation has the window", async (t) => {
  const place = await openBrowser(t, { phone: true, theme: "dark", language: "zh-CN" });
  const { page } = place;
  const bar = page.getByRole("navigation", { name: "页面" });
  expect(await bar.locator(".nav-name:visible").allInnerTexts()).toEqual(["主页", "对话", "审批", "日程", "更多页面"]);
  expect((await bar.boundingBox())?.y).toBeGreaterThan(780);
  await say(page, "你好");
  await until(() => answers(page)).toEqual(["ok"]);
  expect(await bar.count()).toBe(0); // hidden
  await page.getByRole("button", { name: "对话列表" }).click();
  await page.locator(".session").waitFor();
  expect(await share(page)).toBeGreaterThanOrEqual(0.6);
  expect(await smallTargets(page)).toEqual([]);
  await place.isClean();
  await bar.getByRole("link", { name: "日程" }).click();
  await page.locator('.panel [data-page="cron"]').waitFor();
  await bar.getByRole("button", { name: "对话" }).click();
  await page.locator(".session a").click();
  await until(() => page.locator(".panel").count()).toBe(0);
  await until(() => answers(page)).toEqual(["ok"]);
  await place.isClean();
});

/** What a rule draws behind an element. */
function drawn(element: Locator): Promise<string> {
  return element.evaluate((one) => getComputedStyle(one, "::after").content);
}

function share(page: Page): Promise<number> {
  return page.locator(".side-list").evaluate((one) => one.clientHeight / innerHeight);
}

/** What can be touched in the list and the bar, and is smaller than a finger. */
function smallTargets(page: Page): Promise<readonly string[]> {
  return page.locator(":is(.side, .side-nav) :is(a, button, input):visible").evaluateAll((all) =>
    all.flatMap((one) => {
      const { width, height } = one.getBoundingClientRect();
      return Math.round(width) < 44 || Math.round(height) < 44
        ? [`${one.className}: ${String(width)} × ${String(height)}`]
        : [];
    }),
  );
}
