import { expect, test } from "vitest";
import type { Channel, OutboundMessage } from "../../src/index.ts";
import { RuntimeError } from "../../src/index.ts";
import { ChannelFault } from "../../src/internal.ts";
import { splitText } from "../../src/loop/delivery/split-text.ts";
import { recordingChannel, says } from "../../src/testing.ts";
import { ofType, startAgent } from "../support/agent.ts";

const reply = (id: string, chat: string, text: string): OutboundMessage => ({
  reply: id,
  to: { channel: "test", chat },
  kind: "message",
  parts: [{ type: "text", text }],
});

test("R258 R254 replies to one chat arrive in order although the first fails, and another chat is not delayed", async (t) => {
  const channel = recordingChannel("test");
  const { agent, clock } = await startAgent(t, { channels: [channel] });
  channel.failNext(1);
  await agent.bus.send("test:1", reply("a", "1", "first"));
  await clock.waitForSleep();
  await agent.bus.send("test:1", reply("b", "1", "second"));
  await agent.bus.send("test:2", reply("c", "2", "elsewhere"));
  await channel.received(1);
  expect(channel.texts()).toEqual(["elsewhere"]);
  await clock.advance(1000);
  await channel.received(3);
  expect(channel.texts()).toEqual(["elsewhere", "first", "second"]);
  expect(channel.sent.map((message) => message.kind)).toEqual(["message", "message", "message"]);
});

test("R258 R259 a long reply whose second piece fails goes on with it: nothing that arrived is sent again", async (t) => {
  const channel = recordingChannel("test", { text: { dialect: "markdown", max: 10 } });
  let failures = 12; // past the time from which a text counts as late
  const flaky: Channel = {
    ...channel,
    send: (message, signal) =>
      message.reply === "a.2" && failures-- > 0
        ? Promise.reject(new ChannelFault("again", "away"))
        : channel.send(message, signal),
  };
  const { agent, clock, records } = await startAgent(t, { channels: [flaky] });
  await agent.bus.send("test:1", reply("a", "1", "one two\nthree\nfour five"));
  const arrived = channel.received(3).then(() => "arrived" as const);
  for (;;) {
    const next = await Promise.race([clock.waitForSleep(1), arrived]);
    if (next === "arrived") break;
    await clock.advance(next);
  }
  await agent.idle();
  expect(channel.sent.map((message) => message.reply)).toEqual(["a", "a.2", "a.3"]);
  expect(channel.texts().join(" ").split(/\s+/)).toEqual(["one", "two", "three", "four", "five"]);
  expect(ofType(await records("test:1"), "reply.delivered")).toHaveLength(1);
});

test("R258 what waits behind a reply that a person drops is delivered at once", async (t) => {
  const channel = recordingChannel("test");
  const { agent, clock } = await startAgent(t, { channels: [channel] });
  channel.failNext(1);
  await agent.bus.send("test:1", reply("a", "1", "dropped"));
  await clock.waitForSleep();
  await agent.bus.send("test:1", reply("b", "1", "second"));
  const session = await agent.sessions.find("test:1");
  await session?.commit({
    type: "reply.failed",
    reply: "a",
    kind: "dropped",
    sent: "no",
    error: { code: "channel.failed", message: "Dropped by a person.", retryable: false },
    attempt: 1,
  });
  agent.wake("test:1");
  await channel.received(1);
  expect(channel.texts()).toEqual(["second"]);
});

test("R258 waits between attempts double from one second", async (t) => {
  const channel = recordingChannel("test");
  const { agent, clock } = await startAgent(t, { channels: [channel] });
  channel.failNext(3);
  await agent.bus.send("test:1", reply("a", "1", "text"));
  for (const wait of [1000, 2000, 4000]) {
    expect(await clock.waitForSleep(wait)).toBe(wait);
    await clock.advance(wait);
  }
  await channel.received(1);
  expect(channel.texts()).toEqual(["text"]);
});

test("R258 R383 a reply that cannot be delivered for channels.retryHours is given up and said so", async (t) => {
  const channel = recordingChannel("test");
  const { agent, clock } = await startAgent(t, { channels: [channel], settings: { deliveryRetryMs: 3_600_000 } });
  channel.failNext(1000);
  const session = await agent.sessions.open("test:1", { channel: "test", chat: "1" });
  const givenUp = new Promise<"given up">((resolve) =>
    session.subscribe((event) => event.type === "reply.failed" && event.retryAt === undefined && resolve("given up")),
  );
  await agent.bus.send("test:1", reply("a", "1", "lost"));
  for (;;) {
    const next = await Promise.race([clock.waitForSleep(1), givenUp]);
    if (next === "given up") break;
    await clock.advance(next);
  }
  expect(session.state.undelivered.map((item) => item.reply)).toEqual(["a"]);
  expect(session.state.outbox).toEqual([]);
  expect(channel.attempts.length).toBeGreaterThan(10);
});

test("R258 a person does not wait for the next attempt: the reply leaves now, and what waits before it too", async (t) => {
  const channel = recordingChannel("test");
  const { agent, clock, records, log } = await startAgent(t, { channels: [channel] });
  channel.failNext(2);
  await agent.bus.send("test:1", reply("a", "1", "first"));
  await clock.waitForSleep();
  await agent.bus.send("test:1", reply("b", "1", "second"));
  expect(await agent.hurry("test:1", "b")).toBe(true);
  await channel.attempted(2); // the platform is still away: the wait begins again
  await agent.idle();
  expect(channel.texts()).toEqual([]);
  expect(ofType(await records("test:1"), "reply.failed")).toMatchObject([{ attempt: 1 }, { attempt: 2 }]); // nothing made up
  expect(await agent.hurry("test:1", "b")).toBe(true);
  await channel.received(2);
  expect(channel.texts()).toEqual(["first", "second"]);
  await agent.idle();
  expect(await agent.hurry("test:1", "b")).toBe(false);
  expect(await agent.hurry("test:9", "b")).toBe(false);
  expect(log.lines.filter(({ level }) => level === "error")).toEqual([]); // a wait that ends early is no fault
});

test("R258 idle does not wait for retries, only for what is being sent", async (t) => {
  const channel = recordingChannel("test");
  const { agent, clock } = await startAgent(t, { channels: [channel] });
  channel.failNext(1);
  await agent.bus.send("test:1", reply("a", "1", "late"));
  await agent.bus.send("test:2", reply("b", "2", "now"));
  await agent.idle();
  expect(channel.texts()).toEqual(["now"]);
  expect(clock.pending()).toContain(1000);
  await clock.advance(1000);
  await agent.idle();
  expect(channel.texts()).toEqual(["now", "late"]);
});

test("R258 a refusal that no retry cures gives up at once", async (t) => {
  const channel = recordingChannel("test");
  const { agent } = await startAgent(t, { channels: [channel] });
  channel.failNext(1, new RuntimeError("inbox.refused", "The chat is gone."));
  await agent.bus.send("test:1", reply("a", "1", "lost"));
  await agent.bus.send("test:1", reply("b", "1", "next"));
  await channel.received(1);
  expect(channel.texts()).toEqual(["next"]);
  expect((await agent.sessions.find("test:1"))?.state.undelivered.map((item) => item.reply)).toEqual(["a"]);
});

test("R258 CH5 what was queued before a restart is delivered after it, once, and says when it was written", async (t) => {
  const started = await startAgent(t);
  started.model.replies(says("the answer"));
  await started.agent.send("test:1", "hi").finished;
  await started.clock.advance(700_000);
  const channel = recordingChannel("test");
  const { agent, records } = await started.restart({ channels: [channel] });
  await agent.resume();
  await channel.received(1);
  await agent.idle();
  expect(channel.texts()[0]).toMatch(/^\[written at .*Z\]\nthe answer$/);
  expect(ofType(await records("test:1"), "reply.delivered")).toHaveLength(1);
});

test("R259 long replies are split within the limit, never inside a character, and code fences stay closed", () => {
  const code = Array.from({ length: 40 }, (_, n) => `const value${n} = "${"x".repeat(n)}";`).join("\n");
  const text = `Here it is:\n\`\`\`ts\n${code}\n\`\`\`\n${"😀".repeat(300)} end`;
  const pieces = splitText(text, 200);
  expect(pieces.length).toBeGreaterThan(5);
  for (const piece of pieces) {
    expect(piece.length).toBeLessThanOrEqual(200);
    expect((piece.match(/^```/gm) ?? []).length % 2).toBe(0);
    expect(piece.isWellFormed()).toBe(true);
  }
  const bare = pieces
    .join("\n")
    .replace(/^```(ts)?$/gm, "")
    .replace(/\s+/g, "");
  expect(bare).toBe(text.replace(/^```(ts)?$/gm, "").replace(/\s+/g, ""));
  expect(splitText("short", 200)).toEqual(["short"]);
  // No room for a whole character: it goes on all the same.
  expect(splitText("😀b", 1)).toEqual("😀b".split(""));
  for (let n = 60; n <= 110; n++)
    for (const each of splitText(`${"a".repeat(n)}\n\`\`\`ts\n${"x\n".repeat(100)}\`\`\``, 100))
      expect(each.length).toBeLessThanOrEqual(100);
});

test("R20 R41 an agent that ends takes back what it was sending, sends nothing more, and the next one sends it", async (t) => {
  const begun = Promise.withResolvers<AbortSignal>();
  let sends = 0;
  const stuck: Channel = {
    ...recordingChannel("test"),
    send: (_message, signal) => {
      sends += 1;
      begun.resolve(signal);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    },
  };
  const first = await startAgent(t, { channels: [stuck] });
  await first.agent.bus.send("test:1", reply("a", "1", "first"));
  await first.agent.bus.send("test:1", reply("b", "1", "second"));
  const sending = await begun.promise;
  await first.agent[Symbol.asyncDispose]();
  expect(sending.reason).toMatchObject({ code: "process.stopping" });
  await first.clock.advance(3_600_000);
  expect(sends).toBe(1);
  const channel = recordingChannel("test");
  const next = await first.restart({ channels: [channel] });
  await next.agent.resume();
  await channel.received(2);
  expect(channel.sent.map((message) => message.reply)).toEqual(["a", "b"]);
});

test("R258 CH3 a thread whose reply fails delays no other thread of its chat", async (t) => {
  const channel = recordingChannel("test");
  const { agent, clock } = await startAgent(t, { channels: [channel] });
  const to = { channel: "test", chat: "1" };
  channel.failNext(1);
  await agent.bus.send("test:1", { ...reply("a", "1", "in a"), to: { ...to, thread: "a" } });
  await clock.waitForSleep();
  await agent.bus.send("test:1", { ...reply("b", "1", "in b"), to: { ...to, thread: "b" } });
  await agent.bus.send("test:1", reply("c", "1", "in none"));
  await channel.received(2);
  expect(channel.texts()).toEqual(["in b", "in none"]);
  await clock.advance(1000);
  await channel.received(3);
});

test("R41 what arrived while the agent ended is written down before it has ended: it does not arrive again", async (t) => {
  const begun = Promise.withResolvers<void>();
  const arrives = Promise.withResolvers<void>();
  const deaf: Channel = {
    ...recordingChannel("test"),
    send: async () => {
      begun.resolve();
      await arrives.promise;
      return "platform-1";
    },
  };
  const first = await startAgent(t, { channels: [deaf] });
  await first.agent.bus.send("test:1", reply("a", "1", "first"));
  await begun.promise;
  let hasEnded = false;
  const ended = first.agent[Symbol.asyncDispose]().then(() => (hasEnded = true));
  for (let turn = 0; turn < 500 && !hasEnded; turn++) await new Promise(setImmediate); // all that does not wait is over
  expect(hasEnded).toBe(false);
  arrives.resolve();
  await ended;
  const channel = recordingChannel("test");
  const { agent, records } = await first.restart({ channels: [channel] });
  await agent.resume();
  await agent.idle();
  expect(channel.sent).toEqual([]);
  expect(ofType(await records("test:1"), "reply.delivered")).toMatchObject([{ reply: "a", ids: ["platform-1"] }]);
});
