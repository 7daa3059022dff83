// A page through kills of the gateway it shows: every message once, every answer once, and what a reload shows.
import fc from "fast-check";
import type { CrashPoint } from "@margay/core/internal/testing";
import { chromium, type Page } from "playwright-core";
import { expect, test } from "vitest";
import { pointText } from "../durability/kill-points.ts";
import { answerText, killedGateway, messageText, type Running } from "../durability/killed-gateway.ts";
import { CHROMIUM, say, until, violations } from "./support.ts";

const KILLS = 5;
const COMMITS = 25; // of a new conversation with one message
const SEED = Number(process.env["MARGAY_KILL_SEED"] ?? Math.floor(Math.random() * 1_000_000));

test("R400 rows 11, 12: the gateway is killed at random commits under a page: each message is there once and answered once", async (t) => {
  const point: fc.Arbitrary<CrashPoint> = fc.record({
    commit: fc.integer({ min: 1, max: COMMITS }),
    when: fc.constantFrom("before", "torn", "after"),
  });
  const [points = []] = fc.sample(fc.array(point, { minLength: KILLS, maxLength: KILLS }), { seed: SEED, numRuns: 1 });
  process.stdout.write(`kills under a page: ${points.map(pointText).join(", ")}, MARGAY_KILL_SEED=${SEED}\n`);
  const place = await killedGateway();
  t.onTestFinished(place.close);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  t.onTestFinished(() => browser.close());
  // As high as all of it: rows that are out of view are not drawn.
  const page = await browser.newPage({ locale: "en", viewport: { width: 1280, height: 8_000 } });
  const person = sitDown(page);
  for (const at of points) {
    const running = await place.start(at);
    if (running === undefined) continue; // it died of what it had to finish
    await person.come(running);
    let isGone = false;
    void running.gone.then(() => (isGone = true));
    await expect
      .poll(
        async () => {
          if (!(await person.answers()) && !isGone) await person.says();
          return isGone;
        },
        { timeout: 90_000, interval: 50 },
      )
      .toBe(true);
  }
  const last = await place.start();
  if (last === undefined) throw new Error("nobody killed it");
  await person.come(last);
  const story = (): Promise<readonly string[]> => page.locator(".item").allInnerTexts();
  await expect
    .poll(
      async () => {
        if (!(await person.answers())) await person.sendsDraft();
        return page.locator(".item-foot").count();
      },
      { timeout: 90_000, interval: 50 },
    )
    .toBe(person.said);
  const numbers = Array.from({ length: person.said }, (_, index) => index + 1);
  const find = (selector: string, wanted: RegExp): Promise<readonly string[]> =>
    page.locator(selector).evaluateAll((items, source) => {
      const found = items.map((item) => new RegExp(source).exec(item.textContent ?? "")?.[0] ?? "");
      return found.filter((text) => text !== "");
    }, wanted.source);
  await until(() => find(".item.user", /message \d+\./)).toEqual(numbers.map(messageText));
  await until(() => find(".item.assistant .md", /Answer \d+\./)).toEqual(numbers.map(answerText));
  await until(() => page.locator(".item.user.sending, .approval, .line-bar").count()).toBe(0);
  const before = await story();
  await page.reload();
  await until(story).toEqual(before);
  expect(await violations(page)).toEqual([]);
  expect([...place.journals().keys()]).toHaveLength(1);
  place.model.assertClean();
}, 400_000);

interface Person {
  readonly said: number;
  /** Opens the page the first time; later it comes back by itself. */
  come(running: Running): Promise<void>;
  /** Allows what waits. @returns whether something does. */
  answers(): Promise<boolean>;
  /** Enter once more: killed between a look and the Enter, nothing was sent and the draft stays. @returns whether there was one. */
  sendsDraft(): Promise<boolean>;
  /** The next thing, when all of the last one is there. */
  says(): Promise<void>;
}

function sitDown(page: Page): Person {
  let said = 0;
  let isHere = false;
  const composer = page.locator("#composer");
  const allow = page.locator(".approval").getByRole("button", { name: "Allow once" });
  const sendsDraft = async (): Promise<boolean> => {
    if ((await composer.inputValue()) === "") return false;
    await composer.press("Enter");
    return true;
  };
  return {
    sendsDraft,
    get said() {
      return said;
    },
    come: async ({ link }) => {
      if (isHere) return;
      isHere = true;
      await page.goto(link);
      await composer.waitFor();
    },
    answers: async () => {
      if ((await allow.count()) === 0) return false;
      await allow.click({ timeout: 5_000 }).catch(() => {}); // killed, or not to be pressed yet: looked at again
      return true;
    },
    says: async () => {
      const isAnswered = (await page.locator(".item-foot").count()) === said;
      const isOnline = (await page.getByRole("button", { name: "Send", exact: true }).count()) > 0;
      if (!isOnline || (await sendsDraft())) return;
      if (!isAnswered || (await page.locator(".item.user.sending").count()) > 0) return;
      said += 1;
      await say(page, messageText(said));
    },
  };
}
