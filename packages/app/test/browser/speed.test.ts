// What people wait for with a processor that is four times slower: the budgets of the pages (web.md §12, §13).
import { expect, test } from "vitest";
import { writeSession } from "../gateway/journals.ts";
import { slower, slowPlace } from "./at-speed.ts";

const RUNS = 5;
const CHATS = 200;
const MESSAGES = 10_000;
const USABLE_MS = 1_000;
const PAINT_MS = 600;
/** Until it is quiet: scripts, styles, what there is to show, and the home behind it (13 of them without it). */
const REQUESTS = 19;
const OPEN_MS = 500;
const FIND_MS = 300;

const answer = (turn: number): string =>
  `Answer **${turn}**\n\n- ${"one word after the other ".repeat(4)}\n- \`code\` and more`;

test("a first visit at a quarter of the speed: something is seen in 0.6 s, chats are listed and one can type in 1.0 s, with few requests", async (t) => {
  const place = await slowPlace(t, (home) => {
    for (let n = 0; n < CHATS; n++) writeSession(home, { key: `web:s${n}`, turns: 2, question: () => `Chat ${n}.` });
  });
  const isUsable = (): boolean =>
    document.querySelector("#composer") !== null && document.querySelectorAll(".session").length > 5;
  await place.visit("/", isUsable); // what the gateway loads at its first request is not the page's
  const floors: number[] = [];
  const usable: number[] = [];
  const paints: number[] = [];
  const requests: (readonly string[])[] = [];
  for (let run = 0; run < RUNS; run++) {
    const visit = await place.visit("/", isUsable);
    floors.push(await place.floor());
    usable.push(visit.readyMs);
    paints.push(visit.firstPaintMs);
    requests.push(visit.requests);
  }
  tell({ usable, paints, floors, requests: requests.map(({ length }) => length) });
  // Nothing is asked twice: the list of chats too is read when its changes begin to come, not before as well.
  for (const all of requests) expect(all.filter((one, at) => all.indexOf(one) !== at)).toEqual([]);
  const most = requests.reduce((all, some) => (some.length > all.length ? some : all), []);
  expect(most.length, most.join("\n")).toBeLessThanOrEqual(REQUESTS);
  expect(Math.min(...usable)).toBeLessThan(USABLE_MS * slower(floors));
  expect(Math.min(...paints)).toBeLessThan(PAINT_MS * slower(floors));
});

test("rows 36, 37 at a quarter of the speed: 10,000 messages open in 0.5 s, and one of the first is found in 0.3 s", async (t) => {
  let id = "";
  const place = await slowPlace(t, (home) => {
    id = writeSession(home, {
      key: "web:long",
      turns: MESSAGES / 2,
      question: (turn) => (turn === 6 ? "The zanzibar question" : `Question ${turn}`),
      answer,
    });
  });
  const { page } = place;
  const floors: number[] = [];
  const opened: number[] = [];
  const found: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    await place.visit("/", () => document.querySelector(`.session a[href*="web-long"]`) !== null);
    floors.push(await place.floor());
    const isThere = (): boolean => document.querySelector(".feed")?.textContent.includes("Question 5000") === true;
    opened.push(await place.takes(`document.querySelector('.session a[href*="${id}"]').click()`, isThere));
    await page.waitForLoadState("networkidle");
    await page.locator("#composer").press("Control+f");
    await page.locator(".find-bar input").waitFor();
    const typed = `{
      const field = document.querySelector(".find-bar input");
      field.value = "zanzibar";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }`;
    const isFound = (): boolean => document.activeElement?.textContent.includes("The zanzibar question") === true;
    found.push(await place.takes(typed, isFound));
  }
  tell({ opened, found, floors });
  expect(Math.min(...opened)).toBeLessThan(OPEN_MS * slower(floors));
  expect(Math.min(...found)).toBeLessThan(FIND_MS * slower(floors));
});

/** What was seen, in the log of the run. */
function tell(figures: Readonly<Record<string, readonly number[]>>): void {
  const texts = Object.entries(figures).map(([name, all]) => `${name} ${all.map((one) => one.toFixed(0)).join(" ")}`);
  process.stdout.write(`at a quarter of the speed: ${texts.join(", ")}\n`);
}
