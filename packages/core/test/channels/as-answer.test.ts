// CH75: whether an answer shows which message it answers.
import { expect, test } from "vitest";
import type { PeopleOptions } from "../../src/contract/room.ts";
import { stalls } from "../../src/internal-testing.ts";
import { recordingChannel, says } from "../../src/testing.ts";
import { groupOf } from "../../src/lib/audience.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { CHAT, ofType, startAgent, type Started, type StartOptions } from "../support/agent.ts";
import { realContext } from "../support/real-context.ts";

type RecordingChannel = ReturnType<typeof recordingChannel>;

const tools = createRegistry([]);
/** Everybody in the group is a guest; it is called in, and answers who means it. */
const people: PeopleOptions = {
  speaker: () => ({ role: "guest", audience: "guest" }),
  room: () => ({ tools, context: realContext(tools) }),
  roleOf: () => undefined,
  isIn: () => true,
  isAlone: () => false,
  audienceAt: (to) => Promise.resolve(groupOf(to)),
  usualAt: () => undefined,
  persons: () => [],
  contact: () => Promise.resolve(undefined),
  group: () => ({ mode: "named", names: ["margay"], follow: false, bots: "heard" }),
  join: () => true,
};
const TEXT = { dialect: "markdown", max: 4096 } as const;

async function receiving(t: Parameters<typeof startAgent>[0], channel: RecordingChannel, more: StartOptions = {}) {
  const started = await startAgent(t, { channels: [channel], settings: { steering: false }, ...more });
  return { ...started, channel, end: running(t, started) };
}

function running(t: Parameters<typeof startAgent>[0], { agent }: Started): () => Promise<void> {
  const stop = new AbortController();
  const work = agent.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort(new Error("enough"));
    await work;
  };
  t.onTestFinished(end);
  return end;
}

const quotes = ({ sent }: RecordingChannel): readonly unknown[] => sent.map(({ quote }) => quote);

test("CH75 in private an answer that stands below its question quotes nothing", async (t) => {
  const { channel, model } = await receiving(t, recordingChannel("test", { text: TEXT, quote: true }));
  model.replies(says("first"), says("second"));
  await channel.deliver("one");
  await channel.received(1);
  await channel.deliver("two");
  await channel.received(2);
  expect(quotes(channel)).toEqual([undefined, undefined]);
});

test("CH75 in private an answer quotes its question when somebody wrote in between, and when another one was answered", async (t) => {
  const { channel, model, clock } = await receiving(t, recordingChannel("test", { text: TEXT, quote: true }));
  const slow = stalls({ after: "first" });
  model.replies(slow, says("second"), says("third"));
  await channel.deliver("one", { key: "k1" });
  await model.received(1);
  await channel.deliver("two", { key: "k2" });
  await clock.advance(1000);
  slow.release();
  await channel.received(2);
  await channel.deliver("three", { key: "k3" });
  await channel.received(3);
  expect(channel.texts()).toEqual(["first", "second", "third"]);
  expect(quotes(channel)).toEqual(["k1", "k2", undefined]);
});

test("CH75 CH5 what was said while an answer could not leave makes it quote, also after a restart", async (t) => {
  const first = recordingChannel("test", { text: TEXT, quote: true });
  const before = await receiving(t, first);
  first.failNext(1);
  before.model.replies(says("first"), says("second"));
  await first.deliver("one", { key: "k1" });
  await first.attempted(1);
  expect(first.attempts.map(({ quote }) => quote)).toEqual([undefined]);
  await first.deliver("two", { key: "k2" });
  await before.agent.idle();
  await before.end();
  const channel = recordingChannel("test", { text: TEXT, quote: true });
  const after = await before.restart({ channels: [channel] });
  running(t, after);
  await after.agent.resume();
  await after.clock.advance(5000);
  await channel.received(2);
  expect(channel.texts()).toEqual(["first", "second"]);
  expect(quotes(channel)[0]).toBe("k1");
});

test("CH75 a text that nobody asked for stands between a question and its answer", async (t) => {
  const { channel, model, agent } = await receiving(t, recordingChannel("test", { text: TEXT, quote: true }));
  const slow = stalls({ after: "first" });
  model.replies(slow);
  await channel.deliver("one", { key: "k1" });
  await model.received(1);
  const to = { channel: "test", chat: "1" };
  const parts = [{ type: "text", text: "By the way." }] as const;
  await agent.bus.send(CHAT, { reply: "r", to, kind: "message", parts, from: { id: "cron", kind: "schedule" } });
  await channel.received(1);
  slow.release();
  await channel.received(2);
  expect(quotes(channel)).toEqual([undefined, "k1"]);
});

test("CH75 PE53 in a group each answer quotes who asked, and of a long one the first piece alone", async (t) => {
  const channel = recordingChannel("test", { text: { ...TEXT, max: 10 }, quote: true });
  const { model, records } = await receiving(t, channel, { people });
  model.replies(says("one two\nthree"));
  await channel.deliver("hello", { key: "k1", group: true, addressed: "named" });
  await channel.received(2);
  expect(channel.texts()).toEqual(["one two", "three"]);
  expect(quotes(channel)).toEqual(["k1", undefined]);
  expect(ofType(await records(CHAT), "reply.sending").map(({ piece }) => piece)).toEqual([1, 2]);
});

test("CH75 what is shown while it is written quotes as its reply would", async (t) => {
  const channel = recordingChannel("test", {
    text: TEXT,
    quote: true,
    edit: true,
    live: { everyMs: 1000, inGroups: true },
  });
  const { model, clock } = await receiving(t, channel, { people });
  const slow = stalls({ after: "a text that is longer than forty characters" });
  model.replies(slow);
  await channel.deliver("hello", { key: "k1", group: true, addressed: "named" });
  await model.received(1);
  await clock.advance(2000);
  await channel.received(1);
  slow.release();
  expect(quotes(channel)).toEqual(["k1"]);
});

test("CH75 a platform without quotes, and a channel whose owner wants none, get none", async (t) => {
  const { channel, model, records } = await receiving(t, recordingChannel("test"), { people });
  model.replies(says("first"));
  await channel.deliver("hello", { key: "k1", group: true, addressed: "named" });
  await channel.received(1);
  expect(quotes(channel)).toEqual([undefined]);
  expect(ofType(await records(CHAT), "handle.received")).toEqual([]);
});
