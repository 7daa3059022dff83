// CH30 CH44 CH157: platforms that take an answer for a while only, or a few of them, or with what came with the message.
import { expect, test } from "vitest";
import type { OutboundMessage } from "../../src/index.ts";
import { ChannelFault } from "../../src/internal.ts";
import { stalls } from "../../src/internal-testing.ts";
import { recordingChannel, says } from "../../src/testing.ts";
import { CHAT, ofType, startAgent, type Started } from "../support/agent.ts";

type RecordingChannel = ReturnType<typeof recordingChannel>;

const HOUR = 3_600_000;
const TEXT = { dialect: "markdown", max: 4096 } as const;
const CLOSED = { text: TEXT, window: { ms: HOUR, unsolicited: false } };

const message = (id: string): OutboundMessage => ({
  reply: id,
  to: { channel: "test", chat: "1" },
  kind: "message",
  parts: [{ type: "text", text: id }],
});

/** An agent whose channel receives until the test ends. */
async function receiving(t: Parameters<typeof startAgent>[0], channel: RecordingChannel, before?: Started) {
  const options = { channels: [channel], settings: { steering: false } };
  const started = await (before === undefined ? startAgent(t, options) : before.restart(options));
  const stop = new AbortController();
  const work = started.agent.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort(new Error("enough"));
    await work;
  };
  t.onTestFinished(end);
  const held = async (): Promise<readonly unknown[]> =>
    (await started.agent.sessions.find(CHAT))?.state.outbox.map((item) => [item.reply, item.held]) ?? [];
  return { ...started, channel, held, end };
}

const handles = ({ sent }: RecordingChannel): readonly unknown[] => sent.map(({ handle }) => handle);

test("CH30 an answer carries the handle of its message, another text the newest of its chat, and a command's answer its own", async (t) => {
  const { channel, model, agent, records } = await receiving(t, recordingChannel("test"));
  model.replies(says("first"), says("second"));
  await Promise.all([
    channel.deliver("one", { handle: { data: { token: "1" } } }),
    channel.deliver("two", { handle: { data: { token: "2" } } }),
  ]);
  await channel.received(2);
  await agent.bus.send(CHAT, message("unasked"));
  await channel.received(3);
  await channel.deliver("/status", { handle: { data: { token: "3" } } });
  await channel.received(4);
  await agent.idle();
  expect(channel.texts().slice(0, 3)).toEqual(["first", "second", "unasked"]);
  expect(handles(channel)).toEqual([{ token: "1" }, { token: "2" }, { token: "2" }, { token: "3" }]);
  expect(ofType(await records(CHAT), "handle.received")).toHaveLength(3);
});

test("CH30 a handle that has expired, or belongs to another chat, is not used", async (t) => {
  const { channel, clock, model, agent } = await receiving(t, recordingChannel("test"));
  model.replies(says("first"), says("elsewhere"));
  await channel.deliver("one", { handle: { data: "old", expiresAt: clock.now() + HOUR } });
  await channel.received(1);
  await channel.deliver("two", { chat: "2", handle: { data: "other" } });
  await channel.received(2);
  await clock.advance(HOUR);
  await agent.bus.send(CHAT, message("late"));
  await channel.received(3);
  expect(handles(channel)).toEqual(["old", "other", undefined]);
});

test("CH44 CH157 CH5 outside of its window a reply is held, and leaves first when the chat writes again", async (t) => {
  const { channel, clock, model, agent, held } = await receiving(t, recordingChannel("test", CLOSED));
  await agent.bus.send(CHAT, message("held"));
  await agent.idle();
  expect([channel.attempts, await held()]).toEqual([[], [["held", "window"]]]);
  await clock.advance(2 * HOUR);
  const slow = stalls({ after: "the answer" });
  model.replies(slow);
  await channel.deliver("hello");
  await channel.received(1); // while its answer is being made
  slow.release();
  await channel.received(2);
  await agent.idle();
  expect(channel.texts()).toEqual([expect.stringMatching(/^\[written at .*\]\nheld$/), "the answer"]);
  expect(await held()).toEqual([]);
});

test("CH44 CH157 a handle that is used up holds what comes after it; a restart keeps both", async (t) => {
  const first = recordingChannel("test", {
    text: { ...TEXT, max: 10 },
    window: { ms: HOUR, uses: 2, unsolicited: false },
  });
  const before = await receiving(t, first);
  before.model.replies(says("one two\nthree\nfour five"));
  await first.deliver("hello");
  await first.received(2);
  await before.agent.idle();
  expect(first.texts()).toEqual(["one two", "three"]);
  await before.end();
  const { channel, agent, held } = await receiving(t, recordingChannel("test", first.can), before);
  await agent.resume();
  await agent.idle();
  expect([channel.attempts, await held()]).toEqual([[], [[expect.any(String), "window"]]]);
  await channel.deliver("/status", { key: "again" });
  await channel.received(2);
  expect(channel.texts()[0]).toBe("four five"); // from the piece on that was held
});

test("CH44 CH48 what the platform itself calls too late waits for the next message, and is no attempt", async (t) => {
  const { channel, model, agent, clock, held, records } = await receiving(t, recordingChannel("test", CLOSED));
  channel.failNext(1, new ChannelFault("window", "Too late.", { sent: "no", answered: true }));
  model.replies(says("first"), says("second"));
  await channel.deliver("one", { handle: { data: "a" } });
  await channel.attempted(1);
  await agent.idle();
  await clock.advance(600_000);
  await agent.idle();
  expect([channel.attempts.length, await held()]).toEqual([1, [[expect.any(String), "window"]]]);
  await channel.deliver("two", { handle: { data: "b" } });
  await channel.received(2);
  await agent.idle();
  expect([handles(channel), channel.sent.map(({ repeated }) => repeated)]).toEqual([
    ["b", "b"],
    [undefined, undefined],
  ]);
  expect(ofType(await records(CHAT), "reply.failed")).toEqual([]);
});

test("CH44 where texts may come unasked they leave without a handle, until the platform takes no more", async (t) => {
  const channel = recordingChannel("test", { text: TEXT, window: { ms: HOUR, unsolicited: true } });
  const { agent, model, held } = await receiving(t, channel);
  await agent.bus.send(CHAT, message("a"));
  await channel.received(1);
  channel.failNext(1, new ChannelFault("window", "No more today."));
  await agent.bus.send(CHAT, message("b"));
  await channel.attempted(2);
  await agent.idle();
  expect([channel.texts(), await held()]).toEqual([["a"], [["b", "window"]]]);
  model.replies(says("the answer"));
  await channel.deliver("hello");
  await channel.received(3);
  expect(channel.texts()).toEqual(["a", "b", "the answer"]);
});

test("CH44 R383 a held reply is given up as every reply is, and counts as not delivered", async (t) => {
  const { channel, agent, clock, held, records } = await receiving(t, recordingChannel("test", CLOSED));
  await agent.bus.send(CHAT, message("held"));
  await clock.waitForSleep();
  await clock.advance(24 * HOUR);
  await agent.idle();
  expect([channel.attempts, await held()]).toEqual([[], []]);
  expect(ofType(await records(CHAT), "reply.failed")).toMatchObject([{ reply: "held", kind: "window", sent: "no" }]);
  expect((await agent.sessions.find(CHAT))?.state.undelivered.map(({ reply }) => reply)).toEqual(["held"]);
});

test("reduce-outbox/MAX_HANDLES: of the messages of a conversation the last twenty are known", async (t) => {
  const { channel, agent, model } = await receiving(t, recordingChannel("test"));
  for (let n = 1; n <= 25; n += 1) await channel.deliver("/status", { key: `k${n}`, handle: { data: n } });
  await channel.received(25);
  const known = (await agent.sessions.find(CHAT))?.state.handles ?? [];
  expect([known.length, known[0]?.data, known.at(-1)?.data]).toEqual([20, 6, 25]);
  expect(model.requests).toEqual([]);
});
