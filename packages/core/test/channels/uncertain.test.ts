// CH43: what may have left, on a platform that cannot tell, and whose owner wants to be asked, is never sent by itself again.
import { expect, test } from "vitest";
import type { Agent, Channel, OutboundMessage } from "../../src/index.ts";
import { ChannelFault } from "../../src/internal.ts";
import { recordingChannel, says } from "../../src/testing.ts";
import { CHAT, ofType, startAgent, type Started } from "../support/agent.ts";

type RecordingChannel = ReturnType<typeof recordingChannel>;

const MAYBE = new ChannelFault("again", "No answer came.", { sent: "maybe" });
const NO = new ChannelFault("again", "It was not reached.", { sent: "no" });

const reply = (id: string, text = id): OutboundMessage => ({
  reply: id,
  to: { channel: "test", chat: "1" },
  kind: "message",
  parts: [{ type: "text", text }],
});

function asking(can: Partial<Channel["can"]> = {}): RecordingChannel {
  return { ...recordingChannel("test", can), uncertain: "ask" };
}

async function waiting(agent: Agent): Promise<readonly unknown[]> {
  const session = await agent.sessions.find(CHAT);
  return session?.state.outbox.map((item) => [item.reply, item.held]) ?? [];
}

/** Sends it, its first attempt fails, and the time of the second one comes. */
async function failed({ agent, clock }: Started, channel: RecordingChannel, error: Error): Promise<void> {
  channel.failNext(1, error);
  await agent.bus.send(CHAT, reply("a"));
  await clock.waitForSleep();
  await clock.advance(1000);
  await agent.idle();
}

test("CH43 CH47 with ask it waits for a person, and what comes after it in its chat goes on", async (t) => {
  const channel = asking();
  const started = await startAgent(t, { channels: [channel] });
  const { agent, records } = started;
  await failed(started, channel, MAYBE);
  await agent.bus.send(CHAT, reply("b"));
  await channel.received(1);
  await agent.idle();
  expect(channel.texts()).toEqual(["b"]);
  expect(channel.attempts.map((piece) => piece.reply)).toEqual(["a", "b"]);
  expect(await waiting(agent)).toEqual([["a", "uncertain"]]);
  expect(ofType(await records(CHAT), "reply.held")).toEqual([{ type: "reply.held", reply: "a", why: "uncertain" }]);
});

test("CH43 without ask it is sent again by itself", async (t) => {
  const channel = recordingChannel("test");
  const started = await startAgent(t, { channels: [channel] });
  await failed(started, channel, MAYBE);
  expect([channel.texts(), await waiting(started.agent)]).toEqual([["a"], []]);
  expect(channel.sent[0]?.repeated).toBe(true);
});

test("CH43 CH45 what certainly did not leave is sent again by itself, unless it may have left before that", async (t) => {
  const channel = asking();
  const started = await startAgent(t, { channels: [channel] });
  const { agent } = started;
  await failed(started, channel, NO);
  expect([channel.texts(), await waiting(agent)]).toEqual([["a"], []]);
  expect(channel.sent[0]?.repeated).toBeUndefined();
});

test("CH43 CH45 a certain failure takes no doubt away that was there before it", async (t) => {
  const channel = recordingChannel("test");
  const started = await startAgent(t, { channels: [channel] });
  const { agent, clock } = started;
  channel.failNext(1, MAYBE);
  channel.failNext(1, NO);
  await agent.bus.send(CHAT, reply("a"));
  for (const pause of [1000, 2000]) {
    await clock.waitForSleep();
    await clock.advance(pause);
  }
  await agent.idle();
  expect(channel.attempts.map((piece) => piece.repeated)).toEqual([undefined, true, true]);
});

test("CH43 R258 a person sends it: from the piece on that may have left, also after a restart, once for each word", async (t) => {
  const can = { text: { dialect: "markdown", max: 6 } } as const;
  const channel = asking(can);
  const started = await startAgent(t, { channels: [channel] });
  const { clock } = started;
  let fails = true;
  const flaky: RecordingChannel = {
    ...channel,
    send: (piece, signal) => {
      if (piece.reply !== "a.2" || !fails) return channel.send(piece, signal);
      fails = false;
      return Promise.reject(MAYBE);
    },
  };
  const { agent: second } = await started.restart({ channels: [flaky] });
  await second.bus.send(CHAT, reply("a", "one\ntwo\nthree"));
  await clock.waitForSleep();
  await clock.advance(1000);
  await second.idle();
  expect(channel.texts()).toEqual(["one"]);
  const third = await started.restart({ channels: [channel] });
  await third.agent.resume();
  await third.agent.idle();
  expect([channel.texts(), await waiting(third.agent)]).toEqual([["one"], [["a", "uncertain"]]]);
  channel.failNext(1, MAYBE);
  expect(await third.agent.hurry(CHAT, "a")).toBe(true);
  await channel.attempted(2);
  await clock.waitForSleep();
  await clock.advance(2000);
  await third.agent.idle();
  expect(await waiting(third.agent)).toEqual([["a", "uncertain"]]); // in doubt anew: asked anew
  expect(await third.agent.hurry(CHAT, "a")).toBe(true);
  await third.agent.idle();
  expect(channel.texts().join("\n")).toBe("one\ntwo\nthree");
  expect(await waiting(third.agent)).toEqual([]);
});

test("CH42 CH43 a key is trusted as long as its platform knows it, and then a person is asked", async (t) => {
  const channel = asking({ once: "key", onceMs: 120_000 });
  const started = await startAgent(t, { channels: [channel] });
  await failed(started, channel, MAYBE);
  expect(channel.texts()).toEqual(["a"]);
  channel.failNext(7, MAYBE); // after 0, 1, 3, 7, 15, 31 and 63 s; at 127 s the key is forgotten
  await started.agent.bus.send(CHAT, reply("b"));
  for (let pause = 1000; pause <= 64_000; pause *= 2) {
    await started.clock.waitForSleep();
    await started.clock.advance(pause);
  }
  await started.agent.idle();
  expect(channel.attempts.filter((piece) => piece.reply === "b")).toHaveLength(7);
  expect(await waiting(started.agent)).toEqual([["b", "uncertain"]]);
});

test.for([
  [{ status: "sent", id: "there" } as const, [], []],
  [{ status: "not-sent" } as const, ["a"], []],
  [undefined, [], [["a", "uncertain"]]],
] as const)("CH42 CH43 a platform that can be asked is asked: %j", async ([found, texts, left], t) => {
  const channel = asking({ once: "lookup" });
  const looked: Channel = { ...channel, findSent: () => Promise.resolve(found) };
  const started = await startAgent(t, { channels: [looked] });
  await failed(started, channel, MAYBE);
  expect([channel.texts(), await waiting(started.agent)]).toEqual([texts, left]);
});

test("CH43 what a process that died may have sent waits for a person at the next start", async (t) => {
  const started = await startAgent(t);
  started.model.replies(says("the answer"));
  await started.agent.send(CHAT, "hi").finished;
  const session = await started.agent.sessions.find(CHAT);
  const { reply: id = "" } = session?.state.outbox[0] ?? {};
  await session?.commit({ type: "reply.sending", reply: id, piece: 1, from: 0, to: 10, attempt: 1 }); // and it died
  const channel = asking();
  const { agent } = await started.restart({ channels: [channel] });
  await agent.resume();
  await agent.idle();
  expect([channel.attempts, await waiting(agent)]).toEqual([[], [[id, "uncertain"]]]);
});
