import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { writeSession } from "../gateway/journals.ts";
import { watchPace } from "../gateway/stretch.ts";
import { mainThreadMs, tasksOf } from "./main-thread.ts";
import { openBrowser, say, until, type BrowserPlace } from "./support.ts";

const MESSAGES = 10_000;
/** Of 400 px, up and down again: some ten pages of messages. */
const STEPS = 60;
/** Turns of a chat that is as long as what is shown of a long one at first. */
const SHORT = 50;
/** How much of the page opening a long chat may cost, to one of a short chat. */
const OPEN = 1.5;
const OPEN_MS = 750;
const TASK_MS = 100;
const FRAME_MS = 12;

const answer = (turn: number): string =>
  `Answer **${turn}**\n\n- ${"one word after the other ".repeat(4)}\n- \`code\` and more`;

/** A chat of 10,000 messages, in the state directory before the gateway starts. */
async function openLong(
  t: Parameters<typeof openBrowser>[0],
): Promise<BrowserPlace & { readonly address: string; readonly shortAddress: string }> {
  let id = "";
  let short = "";
  const place = await openBrowser(t, {
    prepare: ({ home }) => {
      id = writeSession(home, {
        key: "web:long",
        turns: MESSAGES / 2,
        question: (turn) => (turn === 6 ? "The zanzibar question" : `Question ${turn}`),
        answer,
      });
      short = writeSession(home, { key: "web:short", turns: SHORT, question: (turn) => `Short ${turn}`, answer });
    },
  });
  return { ...place, address: `/s/${id}`, shortAddress: `/s/${short}` };
}

test("row 36: Ctrl+F in a chat of 10,000 messages finds the one of the first turns, goes there and marks it", async (t) => {
  const place = await openLong(t);
  const { page, gateway, address } = place;
  await page.goto(gateway.url + address);
  await page.getByText("Question 5000", { exact: true }).waitFor();
  await page.locator("#composer").press("Control+f");
  await page.getByRole("search").getByRole("searchbox").fill("zanzibar");
  const found = page.locator(".item", { hasText: "The zanzibar question" });
  await found.waitFor();
  expect(await page.getByRole("search").getByRole("status").innerText()).toBe("1 of 1");
  // The day and eleven messages stand before it; marked is what has the focus.
  await until(() => page.evaluate(() => document.activeElement?.getAttribute("aria-posinset"))).toBe("12");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("The zanzibar question");
  const box = await found.boundingBox();
  expect(box?.y).toBeGreaterThan(0);
  expect(box?.y).toBeLessThan(800);
  await place.isClean();
});

test("row 37: 10,000 messages open at the end, are scrolled up and down without a jump, and Home and `k` reach the first", async (t) => {
  const place = await openLong(t);
  const { page, gateway, address, shortAddress } = place;
  // Limits are of CPU time, and as much higher as this machine was slower meanwhile.
  const slower = watchPace();
  const spent = await mainThreadMs(page);
  const opened = async (path: string, last: string): Promise<number> => {
    await page.goto(gateway.url + path);
    await page.getByText(last, { exact: true }).waitFor();
    return spent(); // of this document: it began with it
  };
  // The best of three: others on the machine take from some. What the gateway reads is looked at in long-session.test.ts.
  const [short, long]: [number[], number[]] = [[], []];
  for (let time = 0; time < 3; time++) {
    short.push(await opened(shortAddress, `Short ${SHORT}`));
    long.push(await opened(address, "Question 5000"));
  }
  expect(Math.min(...long)).toBeLessThan(OPEN * Math.min(...short));
  expect(Math.min(...long)).toBeLessThan(OPEN_MS * slower());
  const before = await spent();
  const { value, longestMs } = await tasksOf(place, () => page.evaluate(scrollUpAndDown, STEPS));
  const { nodes, frames, jumps } = value;
  expect(jumps).toEqual([]);
  expect(nodes).toBeLessThanOrEqual(3_000);
  expect(longestMs).toBeGreaterThan(0);
  expect(longestMs).toBeLessThan(TASK_MS * slower());
  // The pages of 50 that came meanwhile are in it.
  expect(((await spent()) - before) / frames).toBeLessThan(FRAME_MS * slower());
  await page.locator(".feed").press("Home");
  const focused = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.getAttribute("aria-posinset"));
  const read = (): Promise<string | null | undefined> => page.evaluate(() => document.activeElement?.textContent);
  await expect.poll(focused).toBe("2"); // after the day
  expect(await read()).toContain("Question 1");
  for (const n of ["3", "4", "5"]) {
    await page.keyboard.press("j");
    await until(focused).toBe(n);
  }
  for (const n of ["4", "3", "2"]) {
    await page.keyboard.press("k");
    await until(focused).toBe(n);
  }
  expect(await read()).toContain("Question 1");
  await place.isClean();
});

test("row 71: at the end of a turn what lies far above is let go, nothing moves, and it comes back when it is scrolled to", async (t) => {
  let id = "";
  const place = await openBrowser(t, {
    prepare: ({ home }) => {
      id = writeSession(home, {
        key: "web:long",
        turns: 400,
        question: (turn) => `Question ${turn}`,
        answer: (turn) => `Answer **${turn}**`,
      });
    },
  });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/s/${id}`);
  await page.getByText("Question 400", { exact: true }).waitFor();
  const places = (): Promise<readonly number[]> =>
    page.evaluate(() =>
      [...document.querySelectorAll(".feed [aria-posinset]")].map((row) => Number(row.getAttribute("aria-posinset"))),
    );
  const feed = page.locator(".feed");
  const first = feed.getByText("Question 1", { exact: true });
  const bottom = page.evaluate.bind(page, () => {
    const feed = document.querySelector(".feed");
    return feed === null ? Number.NaN : Math.round(feed.scrollHeight - feed.scrollTop - feed.clientHeight);
  });

  await feed.press("Home");
  await first.waitFor();
  // What is consolidated is asked beside the turn, in no fixed order; that request offers no tool of a turn.
  const isTurn = ({ toolNames }: { readonly toolNames: readonly string[] }): boolean => toolNames.includes("read_file");
  gateway.model.route((request) => !isTurn(request), says("A summary of what came before."));
  gateway.model.route(isTurn, says("one"), says("two"));
  await say(page, "While I read above.");
  await feed.getByText("one", { exact: true }).waitFor();
  await until(bottom).toBe(0); // what one sends is shown
  await until(async () => Math.max(...(await places()))).toBeLessThan(310);
  expect(await feed.getByText("While I read above.").isVisible()).toBe(true);
  await say(page, "At the end.");
  await feed.getByText("two", { exact: true }).waitFor();
  await until(bottom).toBe(0);
  for (const text of ["At the end.", "two", "one"]) {
    const box = await feed.getByText(text, { exact: true }).boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(800);
  }
  await feed.press("Home");
  await first.waitFor();
  await until(async () => Math.min(...(await places()))).toBeLessThan(3);
  await place.isClean();
});

test("row 36: around what was found one reads on in both directions, back to the newest, and what one says is seen", async (t) => {
  let id = "";
  const place = await openBrowser(t, {
    prepare: ({ home }) => {
      id = writeSession(home, {
        key: "web:long",
        turns: 200,
        question: (turn) => (turn === 80 ? "The zanzibar question" : `Question ${turn}`),
        answer: (turn) => `Answer **${turn}**`,
      });
    },
  });
  const { page, gateway } = place;
  const pages: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/messages?")) pages.push(new URL(request.url()).search);
  });
  await page.goto(`${gateway.url}/s/${id}`);
  const feed = page.locator(".feed");
  const seen = (text: string) => feed.getByText(text, { exact: true });
  await seen("Question 200").waitFor();
  const find = async (): Promise<void> => {
    await page.locator("#composer").press("Control+f");
    await page.getByRole("search").getByRole("searchbox").fill("zanzibar");
    await page.locator(".item:focus", { hasText: "The zanzibar question" }).waitFor();
    await page.getByRole("search").getByRole("button", { name: "Close" }).click();
  };
  await find();
  // What lies between is not loaded: one page, around it.
  expect(pages.filter((query) => query.includes("around"))).toHaveLength(1);
  expect(pages.filter((query) => query.includes("before"))).toEqual([]);
  const scroll = (to: "top" | "bottom") => async (): Promise<boolean> => {
    await feed.evaluate((element, where) => {
      element.scrollTop += where === "top" ? -2_000 : 2_000;
    }, to);
    return (await seen(to === "top" ? "Question 1" : "Question 200").count()) > 0;
  };
  await until(scroll("top")).toBe(true);
  await until(scroll("bottom")).toBe(true);
  await place.isClean();
  // From a part of it: its own button leads to the newest, and so does saying something.
  await page.reload(); // the address names the place
  await page.locator(".item:focus", { hasText: "The zanzibar question" }).waitFor();
  await page.getByRole("button", { name: "To the newest message" }).click();
  await seen("Question 200").waitFor();
  await find();
  gateway.model.route(() => true, says("heard"), says("heard"));
  await say(page, "While I read far above.");
  await seen("While I read far above.").waitFor();
  await seen("heard").waitFor();
  await place.isClean();
});

interface Scrolled {
  readonly nodes: number;
  readonly frames: number;
  readonly jumps: readonly string[];
}

/** In the page. */
async function scrollUpAndDown(steps: number): Promise<Scrolled> {
  const feed = document.querySelector<HTMLElement>(".feed");
  if (!feed) throw new Error("There is no feed.");
  const frame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done));
  const tops = (): Map<string, number> =>
    new Map(
      [...document.querySelectorAll<HTMLElement>(".feed .item[data-item]")].map((item) => [
        item.dataset["item"] ?? "",
        item.getBoundingClientRect().top,
      ]),
    );
  // Opening ends when the rows at the end have their sizes.
  for (let still = 0, height = 0; still < 10; still = feed.scrollHeight === height ? still + 1 : 0) {
    height = feed.scrollHeight;
    await frame();
  }
  const seen = { nodes: 0, frames: 0, jumps: [] as string[] };
  for (const step of [-400, 400])
    for (let n = 0; n < steps; n++) {
      const old = tops();
      const from = feed.scrollTop;
      feed.scrollTop += step;
      const moved = feed.scrollTop - from;
      for (let wait = 0; wait < 3; wait++) await frame();
      // What was and is in view has moved by what was scrolled, whatever was loaded or measured above it.
      for (const [id, top] of tops()) {
        const was = old.get(id);
        if (was === undefined || top < 100 || top > 600) continue;
        if (Math.abs(top - (was - moved)) > 2)
          seen.jumps.push(`${String(step)} at ${String(n)}: ${String(top - was + moved)}`);
      }
      seen.nodes = Math.max(seen.nodes, document.getElementsByTagName("*").length);
      seen.frames += 3;
    }
  return seen;
}
