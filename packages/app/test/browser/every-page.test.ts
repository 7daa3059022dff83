// Every address of the UI: axe finds nothing, the console stays silent. Two looks hold every theme, language and width once;
// `MARGAY_AXE=all npx vitest run packages/app/test/browser/every-page.test.ts` goes through all four.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ADDRESSES, openPage, seedPages, throughLayers } from "./addresses.ts";
import { openBrowser, until, violations, type BrowserOptions } from "./support.ts";

const LOOKS: readonly (readonly [string, BrowserOptions])[] = [
  ["wide, light, English", {}],
  ["phone, dark, Chinese", { phone: true, theme: "dark", language: "zh-CN" }],
  ...(process.env["MARGAY_AXE"] === "all"
    ? ([
        ["wide, dark, Chinese", { theme: "dark", language: "zh-CN" }],
        ["phone, light, English", { phone: true }],
      ] as const)
    : []),
];

test.for(LOOKS)(
  "axe-core: 0 serious or critical findings on every page and theme: %s",
  { timeout: 300_000 },
  async ([, look], t) => {
    const place = await openBrowser(t, { ...look, config: { tools: { exec: { sandbox: "none" } } } });
    const { page } = place;
    const { session, turn } = await seedPages(place);
    const found: string[] = [];
    const check = async (what: string): Promise<void> => {
      for (const finding of await violations(page)) found.push(`${what}: ${finding}`);
    };
    await check("chat");
    await throughLayers(page, check);
    for (const address of [...ADDRESSES, `explain/${session}/${turn}`, `session/${session}`, `share/${session}`]) {
      await openPage(page, address);
      await check(address);
      await throughTabs(page, address, check);
    }
    await page.goto(`${place.gateway.url}/welcome`);
    await page.locator("h1, h2").first().waitFor();
    await check("welcome");
    await place.context.clearCookies();
    await page.evaluate(() => localStorage.removeItem("margay.key"));
    for (const way of ["login", "setup"]) {
      await page.goto(`${place.gateway.url}/${way}`);
      await page.locator("input").first().waitFor();
      await check(way);
    }
    expect(found).toEqual([]);
    expect(place.faults).toEqual([]);
  },
);

async function throughTabs(page: Page, address: string, check: (what: string) => Promise<void>): Promise<void> {
  if (address.includes("/")) return;
  const tabs = page.locator('.panel-body [role="tab"]');
  for (let at = 1; at < (await tabs.count()); at += 1) {
    await tabs.nth(at).click();
    await until(() => page.locator(".panel .skeleton").count()).toBe(0);
    await check(`${address}, tab ${String(at + 1)}`);
  }
}
