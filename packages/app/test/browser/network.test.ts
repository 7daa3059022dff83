// A network that goes away in the middle of an answer, and comes back.
import { says } from "@margay/core/testing";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openNetwork, type Network } from "./network.ts";
import { answers, openBrowser, say, until, type BrowserPlace } from "./support.ts";

const WORDS = Array.from({ length: 120 }, (_none, index) => `${index} `);
const WHOLE = WORDS.join("").trim();

test("row 10: the network is cut for ten seconds in an answer: the bar says so, then the missed text is there in order", async (t) => {
  const { place, page, network } = await openBehind(t);
  network.cut("reset");
  const cutAt = Date.now();
  await page.getByText("Reconnecting…").waitFor();
  expect(Date.now() - cutAt).toBeGreaterThanOrEqual(1000);
  const frozen = (await answers(page)).at(-1);
  await until(() => Date.now() - cutAt).toBeGreaterThan(10_000);
  expect(await page.getByText("Reconnecting…").count()).toBe(1);
  expect((await answers(page)).at(-1)).toBe(frozen);
  network.mend();
  await page.getByText("Reconnecting…").waitFor({ state: "detached" });
  await allInOrder(page, frozen ?? "");
  await place.isClean();
});

test("row 10: a network that only falls silent is noticed within seconds, and what it brings late is not shown twice", async (t) => {
  const { place, page, network } = await openBehind(t);
  network.cut("silent");
  await page.evaluate(() => dispatchEvent(new Event("offline"))); // as the system says it
  await page.getByText("Reconnecting…").waitFor({ timeout: 15_000 }); // sooner than the ping of every 20 s
  const frozen = (await answers(page)).at(-1);
  network.mend();
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await page.getByText("Reconnecting…").waitFor({ state: "detached" });
  await allInOrder(page, frozen ?? "");
  await place.isClean();
});

test("row 12: a page whose code could not be fetched while the gateway was away comes by itself when it is back, with its styles", async (t) => {
  const { place, page, network } = await openBehind(t);
  network.cut("reset");
  await page.locator(".side-nav").getByRole("link", { name: "Settings" }).click();
  await page.getByText("Reconnecting…").waitFor();
  await until(() => deadStyles(page)).toBeGreaterThan(0);
  expect(await page.getByRole("alert").count()).toBe(0); // the bar says what is wrong
  network.mend();
  await page.locator(".set-page").waitFor();
  expect(await deadStyles(page)).toBe(0);
  await place.isClean();
});

/** How many styles stand in the page and were not fetched: nobody may read their rules. */
function deadStyles(page: Page): Promise<number> {
  return page.evaluate(() => {
    const isDead = (sheet: CSSStyleSheet): boolean => {
      try {
        return sheet.cssRules.length === 0;
      } catch {
        return true;
      }
    };
    return [...document.styleSheets].filter(isDead).length;
  });
}

interface Behind {
  readonly place: BrowserPlace;
  readonly page: Page;
  readonly network: Network;
}

/** In the middle of an answer of fifteen seconds. */
async function openBehind(t: Parameters<typeof openNetwork>[0]): Promise<Behind> {
  const network = await openNetwork(t);
  const name = `127.0.0.1:${network.port}`;
  const place = await openBrowser(t, {
    outside: true,
    config: { gateway: { allowedHosts: [name] } },
    expected: [`foreign request: http://${name}`, "WebSocket", "Failed to load resource: net::ERR"],
  });
  const { page, gateway } = place;
  network.leadTo(gateway.port);
  await page.goto(place.loginLink().replace(new URL(gateway.url).host, name));
  await page.locator("#composer").waitFor();
  gateway.model.replies(says("", { chunks: WORDS, chunkDelayMs: 120 }));
  await say(page, "count");
  await until(async () => (await answers(page)).at(-1) ?? "").toMatch(/^0 1 2 3/);
  return { place, page, network };
}

async function allInOrder(page: Page, seen: string): Promise<void> {
  const shown: string[] = [];
  const last = async (): Promise<string | undefined> => {
    shown.push((await answers(page)).at(-1) ?? "");
    return shown.at(-1);
  };
  await expect.poll(last, { timeout: 60_000, interval: 100 }).toBe(WHOLE);
  expect(WHOLE.startsWith(seen)).toBe(true);
  expect(shown.filter((text) => !WHOLE.startsWith(text))).toEqual([]);
  expect((await answers(page)).length).toBe(1);
}
