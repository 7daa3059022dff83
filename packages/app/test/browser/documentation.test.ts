// The documentation as the gateway serves it: public, searchable in both languages, nothing from elsewhere, the strictest policy.
import { request } from "node:http";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser, until, violations } from "./support.ts";
import { startGateway } from "../gateway/support.ts";

interface Answered {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly bytes: number;
}

/** As a stranger sends it: no cookie, no token, nothing followed. */
function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      let bytes = 0;
      response.on("data", (part: Buffer) => (bytes += part.length));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, bytes }));
    })
      .on("error", reject)
      .end();
  });
}

async function find(page: Page, text: string): Promise<readonly string[]> {
  await page.locator("#search").fill(text);
  await page.locator("#results a").first().waitFor();
  return page.locator("#results a").allInnerTexts();
}

test("the documentation is served to everybody, packed, in the language of the reader, under a policy of its own", async (t) => {
  const { url } = await startGateway(t);
  const [bare, chinese, home, cached, missing] = await Promise.all([
    get(`${url}/help`),
    get(`${url}/help`, { "accept-language": "zh-CN,zh;q=0.9" }),
    get(`${url}/help/`, { "accept-encoding": "gzip" }),
    get(`${url}/help/`),
    get(`${url}/help/nowhere.html`),
  ]);
  expect([bare.status, bare.headers["location"]]).toEqual([307, "/help/"]);
  expect([chinese.status, chinese.headers["location"]]).toEqual([307, "/help/zh-CN/"]);
  expect([home.status, home.headers["content-encoding"]]).toEqual([200, "gzip"]);
  expect(cached.bytes).toBeGreaterThan(home.bytes);
  expect(missing.status).toBe(401); // as any path of which a stranger is to learn nothing
  const policy = String(home.headers["content-security-policy"]);
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toMatch(/unsafe|wss?:|data:|blob:/);
  const again = await get(`${url}/help/`, { "if-none-match": String(home.headers["etag"]) });
  expect([again.status, again.bytes]).toEqual([304, 0]);
});

test("the search finds pages, keys and errors, in English and in Chinese, and nothing is asked of other hosts", async (t) => {
  const place = await openBrowser(t, { outside: true });
  const { page, origin } = place;
  await page.goto(`${origin}/help/`);
  expect((await find(page, "agent.temperature"))[0]).toContain("agent.temperature");
  expect((await find(page, "provider.no-key"))[0]).toContain("provider.no-key");
  expect((await find(page, "journal"))[0]).toMatch(/journal/i);
  await page.locator("#search").fill("provider.no-key");
  await page.locator("#results a").filter({ hasText: "provider.no-key" }).first().click();
  await page.waitForURL(/errors\.html#provider\.no-key$/);
  await page.locator('[id="provider.no-key"]').waitFor();

  await page.locator("a.other").click();
  await page.waitForURL(/zh-CN/);
  expect((await find(page, "日志"))[0]).toContain("日志");
  // From the middle of a sentence without spaces.
  expect((await find(page, "任何账号")).join("\n")).toContain("快速入门");
  expect((await find(page, "提醒")).join("\n")).toContain("提醒");
  await page.locator("#search").press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL((address) => decodeURIComponent(address.pathname).includes("/zh-CN/"));
  expect(place.faults).toEqual([]);
});

test("axe finds nothing on three pages of the documentation, light and dark, wide and narrow", async (t) => {
  for (const look of [{ outside: true }, { outside: true, theme: "dark", phone: true } as const]) {
    const place = await openBrowser(t, look);
    for (const path of ["", "configuration.html", "zh-CN/configuration.html"]) {
      await place.page.goto(`${place.origin}/help/${path}`);
      await place.page.locator("main h1").waitFor();
      expect([path, await violations(place.page)]).toEqual([path, []]);
    }
    expect(place.faults).toEqual([]);
  }
});

test("the theme is chosen on a page and stays, and the help of the program leads to the documentation", async (t) => {
  const place = await openBrowser(t);
  const { page } = place;
  await page.goto(`${place.origin}/?p=help`);
  const link = page.locator('a[href="/help/"]');
  const [docs] = await Promise.all([place.context.waitForEvent("page"), link.click()]);
  await docs.locator("#theme").click();
  await docs.locator("nav.pages a").nth(1).click();
  await until(() => docs.locator("html").getAttribute("data-theme")).toBe("dark");
  expect(place.faults).toEqual([]);
});
