import { expect, test } from "vitest";
import { zonedClock } from "../../src/lib/zoned-time.ts";
import { RuntimeError } from "../../src/lib/errors/errors.ts";
import { isQuiet, parseQuietHours, quietUntil, slotsOf } from "../../src/schedule/greeting-slots.ts";
import { says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { ofType } from "../support/agent.ts";
import { startProactive } from "./proactive.ts";
import { textsOf, until } from "./support.ts";

const HOUR = 3_600_000;
const NINE = Date.UTC(2026, 2, 2, 9);
const now = (): AbortSignal => AbortSignal.timeout(10_000);

test("R227 quiet hours 21-08 go over midnight", () => {
  const quiet = parseQuietHours("21-08");
  const at = (hour: number): boolean => isQuiet(hour, quiet);
  // 20:59, 21:00, 07:59, 08:00
  expect([at(20), at(21), at(7), at(8)]).toEqual([false, true, true, false]);
  expect([0, 11, 12, 13].map((hour) => isQuiet(hour, parseQuietHours("12-13")))).toEqual([false, false, true, false]);
});

test("PE98 when quiet hours end: the same day, the next one, over a change of the clock, and not at all by day", () => {
  const zone = zonedClock("Europe/Berlin");
  const end = (at: string, hours = "21-08"): string | undefined => {
    const until = quietUntil(Date.parse(at), parseQuietHours(hours), zone);
    return until === undefined ? undefined : new Date(until).toISOString();
  };
  expect(end("2026-03-02T21:30:00Z")).toBe("2026-03-03T07:00:00.000Z");
  expect(end("2026-03-03T05:00:00Z")).toBe("2026-03-03T07:00:00.000Z");
  expect(end("2026-03-28T21:00:00Z")).toBe("2026-03-29T06:00:00.000Z"); // summer time begins that night
  expect(end("2026-03-03T07:00:00Z")).toBeUndefined();
  expect(end("2026-03-03T12:10:00Z", "13-14")).toBe("2026-03-03T13:00:00.000Z");
});

test("R228 HB6 slots are equal whenever they are computed, differ between chats, and are never on the hour", () => {
  const zone = zonedClock("Europe/Berlin");
  const quiet = parseQuietHours("21-08");
  const slots = slotsOf(NINE, "chat:1", quiet, zone);
  expect(slotsOf(NINE + 5 * HOUR, "chat:1", quiet, zone)).toEqual(slots);
  expect(slotsOf(NINE, "chat:2", quiet, zone)).not.toEqual(slots);
  expect(slots).toHaveLength(13);
  for (const { at } of slots) {
    const { hour, minute } = zone(at);
    expect(minute).not.toBe(0);
    expect(isQuiet(hour, quiet)).toBe(false);
  }
  expect(new Set(slots.map(({ at }) => zone(at).minute)).size).toBeGreaterThan(5);
});

test("R226 R231 after four quiet hours the chat is greeted in a slot, and a reply to it is understood", async (t) => {
  const scene = await startProactive(t, { start: NINE });
  await scene.writes("1", "my exam is on Friday");
  await scene.go();
  const { model, chat } = scene;
  await scene.slots(3); // not quiet for long enough
  expect(model.requests).toHaveLength(1); // deciding costs nothing
  model.replies(says("How is the exam going?"), says("Good."));
  await scene.slots(2);
  await chat.received(2);
  expect(textsOf(chat)[1]).toBe("How is the exam going?");
  expect(chat.sent[1]?.to).toEqual({ channel: "chat", chat: "1" });
  const asked = JSON.stringify(model.requests[1]?.messages);
  expect(asked).toContain("my exam is on Friday");
  await scene.agent.send("chat:1", "fine", { origin: { channel: "chat", chat: "1" } }).finished;
  expect(JSON.stringify(model.requests[2]?.messages)).toContain("How is the exam going?");
});

test("R226 the chat must have been quiet for the whole time: both borders", async (t) => {
  const scene = await startProactive(t, { start: NINE });
  await scene.writes("1");
  const quietSince = (await scene.agent.sessions.find("chat:1"))?.state.updatedAt ?? 0;
  await scene.clock.advance(quietSince + 4 * HOUR - 1 - scene.clock.now());
  expect(await scene.greeting.checkNow(now())).toBe("not-due");
  await scene.clock.advance(1);
  scene.model.replies(says("Hello again."));
  expect(await scene.greeting.checkNow(now())).toBe("sent");
});

test("R226 R230 not more than greeting.maxPerDay a day, over a restart, and again on the next day", async (t) => {
  const first = await startProactive(t, { start: Date.UTC(2026, 2, 2, 0), greeting: { quiet: { from: 0, to: 0 } } });
  await first.writes("1");
  first.model.replies(says("one"), says("two"), says("three"));
  const hourly = async ({ clock, greeting, agent }: typeof first, hours: number): Promise<readonly string[]> => {
    const outcomes: string[] = [];
    for (let hour = 0; hour < hours; hour++) {
      await clock.advance(HOUR);
      outcomes.push(await greeting.checkNow(now()));
      await agent.idle();
    }
    return outcomes;
  };
  expect((await hourly(first, 11)).filter((outcome) => outcome === "sent")).toHaveLength(2);
  const again = await first.again();
  expect(new Set(await hourly(again, 12))).toEqual(new Set(["quota"]));
  expect((await hourly(again, 1))[0]).toBe("sent"); // midnight
  expect(textsOf(again.chat)).toEqual(["three"]);
});

test("R230 a greeting that the platform refuses is not counted", async (t) => {
  const scene = await startProactive(t, { start: NINE, greeting: { maxPerDay: 1 } });
  await scene.writes("1");
  scene.chat.failNext(1, new RuntimeError("tool.refused", "blocked")); // not worth a retry
  scene.model.replies(says("lost"), says("kept"));
  await scene.clock.advance(4 * HOUR);
  expect(await scene.greeting.checkNow(now())).toBe("sent");
  await scene.agent.idle();
  await scene.clock.advance(4 * HOUR);
  expect(await scene.greeting.checkNow(now())).toBe("sent");
  await scene.agent.idle();
  expect(textsOf(scene.chat).at(-1)).toBe("kept");
  await scene.clock.advance(3.5 * HOUR);
  expect(await scene.greeting.checkNow(now())).toBe("not-due");
});

for (const [what, text, outcome] of [
  ["blank", "  \n", "dropped"],
  ["of 201 characters", "x".repeat(201), "dropped"],
  ["of 200 characters", "x".repeat(200), "sent"],
  ["of a hundred Chinese characters", "你".repeat(100), "sent"],
] as const)
  test(`R229 greeting/MAX_CHARS an answer ${what} is ${outcome}`, async (t) => {
    const scene = await startProactive(t, { start: NINE });
    await scene.writes("1");
    await scene.clock.advance(4 * HOUR);
    scene.model.replies(says(text));
    expect(await scene.greeting.checkNow(now())).toBe(outcome);
    await scene.agent.idle();
    expect(textsOf(scene.chat).slice(1)).toEqual(outcome === "sent" ? [text] : []);
  });

test("HB7 a person who writes while the greeting is prepared cancels it", async (t) => {
  const scene = await startProactive(t, { start: NINE });
  await scene.writes("1");
  await scene.clock.advance(4 * HOUR);
  const held = stalls({ rest: says("Hello?") });
  scene.model.replies(held);
  const greeting = scene.greeting.checkNow(now());
  await until(() => Promise.resolve(scene.model.requests.length === 2));
  await scene.writes("1", "I am back");
  held.release();
  expect(await greeting).toBe("busy");
  expect(textsOf(scene.chat)).toEqual(["answer to hello", "answer to I am back"]);
});

test("HB6 a slot is greeted in once, though the clock is set back and the process restarts", async (t) => {
  const first = await startProactive(t, { start: NINE, greeting: { maxPerDay: 5, idleMs: 0 } });
  await first.writes("1");
  first.model.replies(says("once"));
  expect(await first.greeting.checkNow(now())).toBe("sent");
  await first.agent.idle();
  const scene = await first.again();
  expect(await scene.greeting.checkNow(now())).toBe("not-due");
  scene.clock.jump(-120_000);
  expect(ofType(await scene.records("chat:1"), "message.posted")).toHaveLength(1);
});

test("R226 without a chat to greet nothing is asked", async (t) => {
  const scene = await startProactive(t, { start: NINE });
  expect(await scene.greeting.checkNow(now())).toBe("no-target");
  expect(scene.model.requests).toHaveLength(0);
});
