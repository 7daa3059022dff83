// How long people wait on a slow machine: the built gateway, a browser whose processor is four times slower, and what the
// same browser needed for the same work meanwhile.
import { chromium, type Browser, type Page } from "playwright-core";
import { killedGateway } from "../durability/killed-gateway.ts";

import type { Owner } from "../gateway/support.ts";
import { CHROMIUM } from "./support.ts";

/** Of the processor, as in the budgets of the pages. */
const SLOWER = 4;
/** What `work` takes in such a browser on the machine that the limits were written on, with nothing beside it. */
const FLOOR_MS = 48;

/** How many times slower than that machine this one was meanwhile, at least 1: the middle of several, for others on it come and go. */
export function slower(floors: readonly number[]): number {
  const middle = floors.toSorted((one, other) => one - other)[Math.floor(floors.length / 2)] ?? 0;
  return Math.max(1, middle / FLOOR_MS);
}

export interface SlowPlace {
  readonly page: Page;
  /** What the page needs for a known piece of work just now: limits are as much higher as the middle of these is. */
  floor(): Promise<number>;
  /** The address, as at a visit with an empty cache, until `ready` is true in the page. */
  visit(path: string, ready: () => boolean): Promise<Visit>;
  /** Milliseconds from what `act` does in the page until `ready` is true in it and drawn. */
  takes(act: string, ready: () => boolean): Promise<number>;
}

export interface Visit {
  /** From the start of the navigation. */
  readonly readyMs: number;
  readonly firstPaintMs: number;
  /** Paths with queries of all that was asked for until it was quiet, without the document. */
  readonly requests: readonly string[];
}

/** @param prepare Puts conversations into the state directory before the gateway starts. */
export async function slowPlace(t: Owner, prepare: (home: string) => void): Promise<SlowPlace> {
  const place = await killedGateway();
  t.onTestFinished(place.close);
  prepare(place.home);
  const running = await place.start();
  if (running === undefined) throw new Error("The gateway did not start.");
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  t.onTestFinished(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, locale: "en" });
  const page = await context.newPage();
  await page.goto(running.link);
  await page.locator("#composer").waitFor();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  const url = new URL(running.link).origin;
  let requests: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    requests.push(pathname + search);
  });
  return {
    page,
    floor: () => page.evaluate(work),
    visit: async (path, ready) => {
      await devtools.send("Network.clearBrowserCache");
      await page.goto("about:blank");
      requests = [];
      await page.goto(url + path, { waitUntil: "commit" });
      const readyMs = await looked(page, "", ready);
      await page.waitForLoadState("networkidle");
      const firstPaintMs = await page.evaluate(
        () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
      );
      return { readyMs, firstPaintMs, requests: requests.slice(1) };
    },
    takes: (act, ready) => looked(page, act, ready),
  };
}

/**
 * Of the page's clock: 0 is where its navigation began, or `act`. A frame's callbacks come before its picture, a timer that they set
 * comes after it: what is true in them is drawn when the timer runs. The page evaluates no texts of its own; the devtools do.
 */
function looked(page: Page, act: string, ready: () => boolean): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const ready = ${ready.toString()};
    const before = ${act === "" ? "0" : "performance.now()"};
    ${act};
    do await new Promise((done) => requestAnimationFrame(done));
    while (!ready());
    await new Promise((done) => setTimeout(done));
    return performance.now() - before;
  })()`);
}

/** In the page: texts that become objects and text again, nodes that are laid out, answers of the gateway; the middle of five. */
async function work(): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 5; run++) {
    const before = performance.now();
    for (let piece = 0; piece < 3; piece++) {
      JSON.stringify(JSON.parse(`[${'{"a":[1,"b"]},'.repeat(10_000)}0]`));
      await (await fetch("/favicon.svg", { cache: "no-store" })).text();
      await new Promise((done) => requestAnimationFrame(done));
    }
    times.push(performance.now() - before);
  }
  return times.toSorted((one, other) => one - other)[2] ?? 0;
}
