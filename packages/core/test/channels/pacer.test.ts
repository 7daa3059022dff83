// What a platform allows, kept to: in all, in each chat, in groups, at once.
import { expect, test } from "vitest";
import { createPacer } from "../../src/channels/pacer.ts";
import type { ChannelCan } from "../../src/contract/channel.ts";
import { ChannelFault } from "../../src/lib/errors/channel-fault.ts";
import { never } from "../../src/lib/async/never.ts";
import { fakeClock, recordingChannel } from "../../src/testing.ts";
import { readersTo } from "../../src/lib/audience.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { startAgent } from "../support/agent.ts";
import { realContext } from "../support/real-context.ts";

const at = (chat: string, thread?: string) => ({
  to: { channel: "talk", chat, ...(thread !== undefined && { thread }) },
  audience: undefined,
});
const channel = (rate: NonNullable<ChannelCan["rate"]>) => recordingChannel("talk", { rate });
/** One for which the first minute is over. */
async function grown() {
  const clock = fakeClock();
  const pacer = createPacer(clock);
  await clock.advance(60_000);
  return { clock, pacer };
}

test("CH48 at most so many in any time: in all, in each chat with all its topics, and less in a group", async () => {
  const { clock, pacer } = await grown();
  const talk = channel({
    channel: { count: 5, perMs: 1000 },
    chat: { count: 2, perMs: 3000 },
    group: { count: 1, perMs: 10_000 },
  });
  const left: string[] = [];
  const begun = clock.now();
  const send = (name: string, paced: Parameters<typeof pacer.pace>[1]): void => {
    void pacer.pace(talk, paced, never()).then((place) => {
      left.push(`${name} ${(clock.now() - begun) / 1000}`);
      place[Symbol.dispose]();
    });
  };
  for (const n of [1, 2, 3]) send(`a${n}`, at("a", n === 2 ? "topic" : undefined));
  for (const n of [1, 2]) send(`g${n}`, { ...at("g"), audience: "group:talk:g" as const });
  for (const n of [1, 2, 3]) send(`b${n}`, at(`b${n}`));
  await clock.advance(20_000);
  expect(left).toEqual(["a1 0", "a2 0", "g1 0", "b1 0", "b2 0", "b3 1", "a3 3", "g2 10"].toSorted(byTime));
});

const byTime = (a: string, b: string): number => Number(a.split(" ")[1]) - Number(b.split(" ")[1]);

test("CH150 the pace is counted from the end of a send: after one that took long the next comes no earlier", async () => {
  const { clock, pacer } = await grown();
  const talk = channel({ chat: { count: 1, perMs: 1000 } });
  const first = await pacer.pace(talk, at("a"), never());
  await clock.advance(900);
  first[Symbol.dispose]();
  let left = false;
  void pacer.pace(talk, at("a"), never()).then(() => (left = true));
  await clock.advance(900);
  expect(left).toBe(false);
  await clock.advance(100);
  expect(left).toBe(true);
});

test("CH83 in the first minute after a start half of it: what left before is not known", async () => {
  const clock = fakeClock();
  const pacer = createPacer(clock);
  const talk = channel({ chat: { count: 4, perMs: 1000 } });
  let left = 0;
  for (let n = 0; n < 6; n++) void pacer.pace(talk, at("a"), never()).then(() => (left += 1));
  await clock.advance(0);
  expect(left).toBe(2);
  await clock.advance(1000);
  expect(left).toBe(4);
  await clock.advance(60_000);
  for (let n = 0; n < 4; n++) void pacer.pace(talk, at("a"), never()).then(() => (left += 1));
  await clock.advance(0);
  expect(left).toBe(10);
});

test("CH48 so many sends at once, in order; who gives up waiting holds nobody up", async () => {
  const { clock, pacer } = await grown();
  const talk = channel({ concurrency: 2 });
  const given = new AbortController();
  const places: Disposable[] = [];
  const order: number[] = [];
  const ask = (n: number, signal: AbortSignal): Promise<unknown> =>
    pacer.pace(talk, at(String(n)), signal).then((place) => {
      order.push(n);
      places.push(place);
    });
  void ask(1, never());
  void ask(2, never());
  const third = ask(3, given.signal);
  void ask(4, never());
  await clock.advance(0);
  expect(order).toEqual([1, 2]);
  expect(pacer.spare(talk, at("5"))).toBe(Infinity);
  given.abort(new Error("enough"));
  await expect(third).rejects.toThrow("enough");
  places[0]?.[Symbol.dispose]();
  places[0]?.[Symbol.dispose]();
  await clock.advance(0);
  expect(order).toEqual([1, 2, 4]);
  places[1]?.[Symbol.dispose]();
  places[2]?.[Symbol.dispose]();
  expect(pacer.spare(talk, at("5"))).toBe(0);
});

test("CH48 what may as well not be shown takes no place that a reply waits for", async () => {
  const { clock, pacer } = await grown();
  const talk = channel({ chat: { count: 1, perMs: 1000 } });
  expect(pacer.spare(talk, at("a"))).toBe(0);
  await clock.advance(400);
  expect(pacer.spare(talk, at("a"))).toBe(600);
  const reply = pacer.pace(talk, at("a"), never());
  await clock.advance(600);
  await reply;
  expect(pacer.spare(talk, at("a"))).toBe(1000);
  expect(pacer.spare(talk, at("b"))).toBe(0);
});

test("pacer/MAX_CHATS: of ten thousand chats the last sends are known, the oldest is forgotten", async () => {
  const { pacer } = await grown();
  const talk = channel({ chat: { count: 1, perMs: 1000 } });
  const sent = (count: number): void => {
    for (let n = 0; n < count; n++) pacer.spare(talk, at(`c${n}`));
  };
  sent(10_000);
  expect(pacer.spare(talk, at("c0"))).toBe(1000);
  pacer.spare(talk, at("one more"));
  expect(pacer.spare(talk, at("c0"))).toBe(0);
});

test("CH150 100 replies to 50 chats at once: none is refused by a platform that counts, each chat in order", async (t) => {
  const counted: number[] = [];
  const recording = recordingChannel("talk", {
    rate: { channel: { count: 30, perMs: 1000 }, chat: { count: 1, perMs: 1000 } },
  });
  const started = await startAgent(t, {
    channels: [
      {
        ...recording,
        send: (piece, signal) => {
          const now = clock.now();
          counted.push(now);
          if (counted.filter((time) => time > now - 1000).length > 30)
            throw new ChannelFault("slow-down", "too many", { sent: "no" });
          return recording.send(piece, signal);
        },
      },
    ],
  });
  const { agent, clock } = started;
  for (const round of [1, 2])
    for (let chat = 0; chat < 50; chat++)
      await agent.bus.send(`talk:${chat}`, {
        reply: `r${chat}.${round}`,
        to: { channel: "talk", chat: String(chat) },
        kind: "message",
        parts: [{ type: "text", text: `round ${round}` }],
      } as never);
  // What is written to disk between takes real time.
  for (let n = 0; n < 2000 && recording.sent.length < 100; n++) await clock.advance(100);
  await agent.idle();
  expect(recording.sent).toHaveLength(100);
  expect(counted).toHaveLength(100);
  for (let chat = 0; chat < 50; chat++)
    expect(recording.sent.filter(({ to }) => to.chat === String(chat)).map(({ reply }) => reply)).toEqual([
      `r${chat}.1`,
      `r${chat}.2`,
    ]);
});

const SLOW = { text: { dialect: "plain", max: 20 }, rate: { chat: { count: 1, perMs: 30_000 } } } as const;
const outgoing = (text: string) => ({
  reply: "r1",
  to: { channel: "talk", chat: "1" },
  kind: "message" as const,
  parts: [{ type: "text" as const, text }],
  from: { id: "test", kind: "agent" as const },
});

test("CH41 CH48 what has left is known while the next piece waits for its place: a restart sends it once", async (t) => {
  const talk = recordingChannel("talk", SLOW);
  const { agent, clock, restart } = await startAgent(t, { channels: [talk] });
  await agent.bus.send("talk:1", outgoing("The first sentence. The second one."));
  await talk.received(1);
  await clock.waitForSleep(1, 30_000);
  const again = await restart({ channels: [talk] });
  await again.agent.resume();
  await again.agent.idle();
  expect(talk.texts()).toEqual(["The first sentence.", "The second one."]);
  expect(talk.sent.some(({ repeated }) => repeated)).toBe(false);
});

test("CH48 a reply that is dropped while it waits for its place does not leave", async (t) => {
  const talk = recordingChannel("talk", SLOW);
  const { agent, clock } = await startAgent(t, { channels: [talk] });
  await agent.bus.send("talk:1", outgoing("first"));
  await talk.received(1);
  await agent.bus.send("talk:1", { ...outgoing("second"), reply: "r2" });
  await clock.waitForSleep(1, 30_000);
  const session = await agent.sessions.find("talk:1");
  const error = { code: "channel.failed", message: "Dropped by a person.", retryable: false } as const;
  await session?.commit({ type: "reply.failed", reply: "r2", kind: "dropped", sent: "no", error, attempt: 1 });
  agent.wake("talk:1");
  await clock.advance(60_000);
  await agent.idle();
  expect(talk.texts()).toEqual(["first"]);
});

test("CH48 an edit, and a word beside the answer, leave a place for the reply", async () => {
  const { clock, pacer } = await grown();
  const talk = channel({ chat: { count: 3, perMs: 3000 } });
  expect([1, 2, 3].map(() => pacer.spare(talk, at("a")))).toEqual([0, 0, 3000]);
  let left = false;
  void pacer.pace(talk, at("a"), never()).then(() => (left = true));
  await clock.advance(0);
  expect(left).toBe(true);
});

test("PE47 CH48 who may not read a reply any more when its place comes gets none of its words", async (t) => {
  const talk = channel({ chat: { count: 2, perMs: 60_000 } });
  let isIn = true;
  const tools = createRegistry([]);
  const { agent, clock } = await startAgent(t, {
    channels: [talk],
    people: {
      speaker: () => ({ role: "member", audience: "bob" }),
      room: () => ({ tools, context: realContext(tools) }),
      group: () => undefined,
      join: () => true,
      roleOf: () => (isIn ? "member" : undefined),
      isIn: () => false,
      isAlone: () => false,
      persons: () => [],
      contact: () => Promise.resolve(undefined),
      usualAt: () => undefined,
      audienceAt: () => Promise.resolve("bob"),
    },
  });
  const to = { channel: "talk", chat: "bob" };
  const session = await agent.sessions.open("talk:bob", to);
  await session.commit({ type: "audience.set", audience: "bob" });
  const marks = { readers: [readersTo(["bob", "eva"], "eva")] };
  for (const n of [1, 2, 3])
    await agent.bus.send("talk:bob", {
      ...{ reply: `r${n}`, to, kind: "message", marks, parts: [{ type: "text", text: `secret ${n}` }] },
    });
  void agent.run(new AbortController().signal);
  await talk.received(1);
  await clock.waitForSleep();
  isIn = false;
  await clock.advance(120_000);
  await talk.received(3);
  expect(talk.texts().map((text) => text.startsWith("secret"))).toEqual([true, false, false]);
  isIn = true;
  const parts = [{ type: "text", text: `secret ${"a".repeat(4090)} secret` } as const];
  await agent.bus.send("talk:bob", { reply: "long", to, kind: "message", marks, parts });
  await talk.received(4);
  isIn = false;
  await clock.advance(120_000);
  await agent.idle();
  expect(session.state.outbox).toEqual([]);
  expect(talk.texts().filter((text) => text.includes("secret"))).toHaveLength(2);
});
