// The list of chats: most of the height, rows only near the window, pages as somebody scrolls, all of them reachable.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { writeSession } from "../gateway/journals.ts";
import { openBrowser, until, type BrowserOptions } from "./support.ts";

const CHATS = 450;

function many(home: string): void {
  for (let n = 0; n < CHATS; n++) writeSession(home, { key: `web:s${n}`, turns: 1, question: () => `Chat ${n}.` });
}

test("DF54 of 450 chats few are read and fewer are nodes at first; scrolling reaches the last, search and pins find any", async (t) => {
  const place = await openBrowser(t, {
    prepare: ({ home }) => many(home),
    outside: true,
  });
  const { page, gateway } = place;
  await page.setViewportSize({ width: 1366, height: 768 });
  const first = (await gateway.api("/sessions?limit=200&sort=updated")).body;
  const oldest = (await gateway.api(`/sessions?limit=200&cursor=${(await next(gateway, first.next)) as string}`)).body;
  const { id, title } = oldest.items.at(-1);
  const { hash } = (await gateway.api(`/sessions/${id}`)).body;
  await gateway.api(`/sessions/${id}`, {
    method: "PATCH",
    body: { pinned: true },
    headers: { "if-match": `"${hash}"` },
  });

  const lists: { readonly bytes: number; readonly encoding: string | null }[] = [];
  page.on("response", async (response) => {
    if (!/\/api\/v1\/sessions\?/.test(response.url())) return;
    try {
      const { responseBodySize } = await response.request().sizes();
      lists.push({ bytes: responseBodySize, encoding: await response.headerValue("content-encoding") });
    } catch {
      // the page was closed behind the test
    }
  });
  await page.goto(place.loginLink());
  const rows = page.locator(".session");
  await rows.first().waitFor();
  // Pinned and older than all that was read: still the first.
  await until(() => rows.first().locator(".title").innerText()).toBe(title);
  const list = page.locator(".side-list");
  expect((await list.boundingBox())?.height).toBeGreaterThanOrEqual(0.6 * 768);
  expect(await rows.count()).toBeLessThan(60);
  const before = lists.length;
  await until(() => lists.filter(({ bytes }) => bytes > 2000).length).toBeGreaterThan(0);
  expect(lists.filter(({ bytes, encoding }) => bytes > 2000 && encoding !== "gzip")).toEqual([]);
  expect(lists.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(30_000);

  const seen = new Set<string>();
  await until(async () => {
    for (const text of await page.locator(".session .title").allInnerTexts()) seen.add(text);
    await list.evaluate((one) => {
      one.scrollTop += one.clientHeight * 0.8;
    });
    return seen.size;
  }).toBe(CHATS);
  expect(lists.length).toBeGreaterThan(before);
  expect(await rows.count()).toBeLessThan(60);
  await place.isClean();

  // A chat that the list did not read is found by its title.
  await page.reload();
  await rows.first().waitFor();
  await page.locator("#list-search").fill("Chat 7.");
  await until(() => page.locator(".session .title").allInnerTexts()).toEqual(["Chat 7."]);
  await place.isClean();
});

async function next(
  gateway: { api(path: string): Promise<{ readonly body: { readonly next: string } }> },
  cursor: string,
): Promise<string> {
  return (await gateway.api(`/sessions?limit=200&cursor=${cursor}`)).body.next;
}

const LOOKS: readonly (readonly [string, BrowserOptions])[] = [
  ["wide, light, English", {}],
  ["phone, dark, Chinese", { phone: true, theme: "dark", language: "zh-CN" }],
];

test.for(LOOKS)(
  "DF54 every page is a menu away, and the list keeps its height while one is open: %s",
  async (look, t) => {
    const place = await openBrowser(t, look[1]);
    const { page } = place;
    const drawer = async (): Promise<void> => {
      if (look[1].phone === true) await page.keyboard.press("Control+b");
    };
    if (look[1].phone !== true) await page.setViewportSize({ width: 1366, height: 768 });
    await drawer();
    await page.getByRole("button", { name: /^(More pages|更多页面)$/ }).click();
    await place.isClean();
    await page.getByRole("menuitem", { name: /^(Models|模型)$/ }).click();
    await page.locator('.panel [data-page="models"]').waitFor();
    await drawer();
    expect(await share(page)).toBeGreaterThanOrEqual(0.6);
    await place.isClean();
    if (look[1].phone === true) {
      await page.getByRole("button", { name: "更多页面" }).click();
      await page.getByRole("menuitem", { name: "设置" }).click();
    } else await page.locator(".side-nav").getByRole("link", { name: "Settings" }).click();
    await page.locator('.panel [data-page="settings"]').waitFor();
  },
);

function share(page: Page): Promise<number> {
  return page.locator(".side-list").evaluate((one) => one.clientHeight / innerHeight);
}
