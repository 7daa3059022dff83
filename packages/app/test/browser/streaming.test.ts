import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { watchPace } from "../gateway/stretch.ts";
import { mainThreadMs } from "./main-thread.ts";
import { answers, openBrowser, say, until, type BrowserPlace } from "./support.ts";

/** Of a fast model. */
const DELTAS_PER_SECOND = 200;
/** Row 71 in full: `MARGAY_SOAK_MINUTES=60`. */
const SOAK_MS = Number(process.env["MARGAY_SOAK_MINUTES"] ?? 0.5) * 60_000;
const DELTAS_PER_TURN = 400;
const WARM_TURNS = 5;
/** The page holds 600 items at most, and a turn is three. */
const KEPT_TURNS = 200;

/** Words that can be told apart, in paragraphs, lists and emphasis. */
function words(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const word = n % 17 === 0 ? `**${name}-${n}** ` : `${name}-${n} `;
    if (n % 60 === 59) return `${word}\n\n`;
    return n % 120 > 100 && n % 5 === 0 ? `\n- ${word}` : word;
  });
}

const told = (name: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${name}-${n}`);

/** The words of the newest answer, as they are on screen. */
async function shown({ page }: BrowserPlace): Promise<readonly string[]> {
  const text = await page.locator(".item.assistant .md").last().innerText();
  return text.split(/\s+/).filter((word) => word !== "");
}

test("W§12: 5,000 deltas into one message leave the main thread free half of the time, and all of them are there", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const deltas = words("word", 5_000);
  gateway.model.replies(says("ready"), says("", { chunks: deltas, chunkDelayMs: 1000 / DELTAS_PER_SECOND }));
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["ready"]);
  const slower = watchPace();
  const spent = await mainThreadMs(page);
  const before = await spent();
  await say(page, "a long one");
  await expect
    .poll(() => page.locator(".md").last().innerText(), { timeout: 120_000, interval: 1000 })
    .toContain("word-4999");
  const busyMs = (await spent()) - before;
  // Of the time that they take at that rate: on a busy machine they take longer, which would hide what drawing costs.
  const wallMs = (deltas.length / DELTAS_PER_SECOND) * 1000;
  expect(busyMs / wallMs).toBeLessThan(0.5 * slower());
  await until(() => shown(place)).toEqual(told("word", deltas.length));
  await place.isClean();
}, 180_000);

test(
  "row 71: streaming for long in one tab leaves the heap flat, typing as fast, and no text missing",
  async (t) => {
    // A turn takes less than a second: more than sixty are sent in a minute.
    const limits = { sendsPerMinute: 10_000, requestsPerMinute: 100_000 };
    const place = await openBrowser(t, { config: { gateway: { limits } } });
    const { page, gateway, context } = place;
    // Every fifty turns memory is kept beside the chat: that answer must not be taken from it.
    gateway.model.route(
      (request) => request.texts("system").some((text) => text.startsWith("You keep the long-term memory")),
      ...Array.from({ length: 1_000 }, () => callsTool("save_memory", { memory: "- wants to go on", history: "On." })),
    );
    const devtools = await context.newCDPSession(page);
    await devtools.send("Performance.enable"); // without it there are no figures
    const spent = await mainThreadMs(page);
    const end = performance.now() + SOAK_MS;
    const heap = async (): Promise<number> => {
      await devtools.send("HeapProfiler.collectGarbage");
      const { metrics } = await devtools.send("Performance.getMetrics");
      const used = metrics.find(({ name }) => name === "JSHeapUsedSize")?.value;
      if (used === undefined) throw new Error("The browser does not say how large the heap is.");
      return used;
    };
    const typing = async (): Promise<number> => {
      const before = await spent();
      await page.locator("#composer").pressSequentially("forty characters that nobody will send..");
      await page.locator("#composer").fill("");
      return (await spent()) - before;
    };
    let warm = { heap: 0, typing: 0, turn: 0 };
    let turn = 0;
    for (; turn <= WARM_TURNS * 2 || performance.now() < end; turn++) {
      const name = `turn-${turn}`;
      gateway.model.replies(says("", { chunks: words(name, DELTAS_PER_TURN), chunkDelayMs: 1 }));
      await say(page, `Go on ${turn}`);
      await expect.poll(() => shown(place)).toEqual(told(name, DELTAS_PER_TURN));
      await page.locator("#composer").waitFor();
      const nodes = await page.evaluate(() => document.getElementsByTagName("*").length);
      expect(nodes).toBeLessThanOrEqual(3_000);
      if (turn === WARM_TURNS) warm = { heap: await heap(), typing: await typing(), turn };
    }
    // What was said last stays in memory as text.
    const kept = Math.min(turn - 1 - warm.turn, KEPT_TURNS) * words(`turn-${turn}`, DELTAS_PER_TURN).join("").length;
    const last = { heap: await heap(), typing: await typing() };
    const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
    process.stdout.write(
      `${turn} turns: heap ${mib(warm.heap)} to ${mib(last.heap)} MiB, ${mib(kept)} of them text; forty characters ${warm.typing.toFixed(0)} to ${last.typing.toFixed(0)} ms\n`,
    );
    // Rows that are on screen and those beside them come and go: two mebibytes are what a few of them take; before, a turn left half a one.
    expect(last.heap - warm.heap - kept).toBeLessThan(0.1 * warm.heap + 2 * 2 ** 20);
    expect(last.typing).toBeLessThan(warm.typing * 1.5 + 50);
    await place.isClean();
  },
  SOAK_MS + 120_000,
);
