import { expect, test } from "vitest";

import type { Channel } from "../../src/contract/channel.ts";
import type { Provider } from "../../src/contract/provider.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

test("R22 messages of one session are answered one at a time, in the order they came", async (t) => {
  const { agent, records } = await startAgent(t, { settings: { steering: false } });
  const texts = Array.from({ length: 20 }, (_, n) => `message ${n}`);
  await Promise.all(texts.map((text) => agent.send(CHAT, text).finished));
  const all = await records();
  const received = ofType(all, "message.received").map(({ message }) => message.id);
  expect(ofType(all, "model.requested").flatMap(({ placed }) => placed)).toEqual(received);
  const marks = all.filter(({ type }) => type === "turn.started" || type === "turn.ended").map(({ type }) => type);
  expect(marks).toEqual(texts.flatMap(() => ["turn.started", "turn.ended"]));
});

test("R23 two sessions work at a time when concurrency allows", async (t) => {
  const { agent, model } = await startAgent(t, { settings: { concurrency: 8 } });
  const held = [stalls({ rest: says("a") }), stalls({ rest: says("b") })];
  model.replies(...held);
  const turns = [agent.send("test:1", "hi").finished, agent.send("test:2", "ho").finished];
  await model.received(2);
  for (const each of held) each.release();
  expect((await Promise.all(turns)).map(({ text }) => text).toSorted()).toEqual(["a", "b"]);
});

test("R23 with concurrency 1 sessions follow one another", async (t) => {
  const { agent, model } = await startAgent(t, { settings: { concurrency: 1 }, tools: [tool("note")] });
  model.route((request) => request.texts("user").includes("hi"), callsTool("note"), says("a"));
  model.route((request) => request.texts("user").includes("ho"), callsTool("note"), says("b"));
  await Promise.all([agent.send("test:1", "hi").finished, agent.send("test:2", "ho").finished]);
  const order = model.requests.map((request) => (request.texts("user").includes("hi") ? "hi" : "ho"));
  // Which of the two was accepted first is the disk's business; they must not interleave.
  expect(order).toEqual(order[0] === "hi" ? ["hi", "hi", "ho", "ho"] : ["ho", "ho", "hi", "hi"]);
});

test("R23 R336 concurrency counts for each provider: who waits for a slow one keeps nobody from another", async (t) => {
  const { agent, model } = await startAgent(t, { settings: { concurrency: 1 } });
  const other = await agent.sessions.open("test:other", { channel: "test", chat: "other" });
  await other.commit({ type: "session.configured", model: { provider: "other", model: "m" }, reset: false });
  const slow = stalls({ rest: says("slow") });
  model.route((request) => request.texts("user").includes("hi"), slow);
  model.route((request) => request.texts("user").includes("ho"), says("quick"));
  model.route((request) => request.texts("user").includes("hu"), says("after it"));
  const first = agent.send("test:1", "hi").finished;
  await model.received(1);
  const second = agent.send("test:2", "hu").finished;
  expect((await agent.send("test:other", "ho").finished).text).toBe("quick");
  expect(model.requests).toHaveLength(2); // the second of the slow provider still waits
  slow.release();
  expect([(await first).text, (await second).text]).toEqual(["slow", "after it"]);
});

test("R21 a provider that throws: that chat gets an error, another one its answer", async (t) => {
  const broken: Provider = {
    id: "mock",
    // oxlint-disable-next-line require-yield -- it throws before there is anything to yield
    async *stream() {
      await Promise.resolve();
      throw new TypeError("a bug in a provider");
    },
  };
  const a = await startAgent(t);
  a.agent.configure({ provider: broken });
  expect(await a.agent.send("test:a", "hi").finished).toMatchObject({
    reason: "failed",
    error: { code: "internal.bug" },
  });
  const again = await a.restart();
  again.model.replies(says("fine here"));
  expect((await again.agent.send("test:b", "hi").finished).text).toBe("fine here");
});

test("R4 R18 messages come in by a channel and replies go out by it; run ends when told", async (t) => {
  const channel = recordingChannel("chat");
  const { agent, model } = await startAgent(t, { channels: [channel] });
  model.replies(says("hello ann"));
  const controller = new AbortController();
  const running = agent.run(controller.signal);
  expect(await channel.deliver("hi", { key: "7" })).toMatchObject({ status: "accepted", sessionKey: "chat:1" });
  expect(await channel.deliver("hi", { key: "7" })).toEqual({ status: "duplicate" });
  await channel.received(1);
  expect(channel.sent).toMatchObject([
    { kind: "reply", to: { channel: "chat", chat: "1" }, parts: [{ type: "text", text: "hello ann" }] },
  ]);
  controller.abort();
  await running;
  expect(model.requests).toHaveLength(1);
});

test("a stop that comes before the channels have begun waits for none of their sends", async (t) => {
  const ends = Promise.withResolvers<never>();
  const silent: Channel = {
    ...recordingChannel("chat"),
    run: () => Promise.reject(new Error("begun after the stop")),
    send: (_message, signal) => {
      signal.addEventListener("abort", () => ends.reject(signal.reason));
      return ends.promise; // nobody reads there yet
    },
  };
  const { agent, model } = await startAgent(t, { channels: [silent] });
  model.replies(says("hello ann"));
  await agent.send("chat:1", "hi").finished;
  await agent.run(AbortSignal.abort(new Error("stopped"))); // the clock stands: no time limit ends it
});

test("R258 CH3 a channel that fails gets its replies later, each once and in order; another chat is not delayed", async (t) => {
  const channel = recordingChannel("chat");
  const { agent, model, clock } = await startAgent(t, { channels: [channel] });
  model.replies(says("one"), says("two"), says("three"));
  const controller = new AbortController();
  const running = agent.run(controller.signal);
  channel.failNext(2);
  await channel.deliver("a", { chat: "1" });
  await channel.attempted(1);
  await channel.deliver("b", { chat: "1" });
  await model.received(2);
  await clock.waitForSleep(1000, 1000);
  await clock.advance(1000);
  await channel.attempted(2);
  await channel.deliver("c", { chat: "2" });
  await channel.received(1);
  expect(channel.texts()).toEqual(["three"]);
  await clock.waitForSleep(2000, 2000);
  await clock.advance(2000);
  await channel.received(3);
  expect(channel.texts()).toEqual(["three", "one", "two"]);
  controller.abort();
  await running;
});

test("R41 what the model says beside its calls reaches the chat before the reply", async (t) => {
  const channel = recordingChannel("chat");
  const { agent, model } = await startAgent(t, {
    channels: [channel],
    tools: [tool("note")],
    settings: { sendToolHints: true },
  });
  model.replies(callsTool("note", { n: "milk" }, { text: "One moment." }), says("noted"));
  const controller = new AbortController();
  const running = agent.run(controller.signal);
  await channel.deliver("buy milk");
  await channel.received(3);
  expect(channel.sent.map(({ kind }) => kind)).toEqual(["progress", "progress", "reply"]);
  expect(channel.texts()).toEqual(["One moment.", 'note("milk")', "noted"]);
  controller.abort();
  await running;
});

test("R398 R44 sessions beside each other see nothing of one another", async (t) => {
  const { agent, model } = await startAgent(t, {
    tools: [tool("where", "read", (_input, context) => `in ${context.origin.chat}`)],
  });
  const chats = ["left", "right", "middle"];
  for (const chat of chats)
    model.route(
      (request) => request.texts("user").some((text) => text.includes(`I am ${chat}`)),
      ...Array.from({ length: 10 }, (_, n) => [callsTool("where", { n }), says(`${chat} ${n}`)]).flat(),
    );
  const talk = async (chat: string): Promise<void> => {
    for (let n = 0; n < 10; n++)
      expect((await agent.send(`test:${chat}`, `I am ${chat}, part ${n}`).finished).text).toBe(`${chat} ${n}`);
  };
  await Promise.all(chats.map(talk));
  for (const request of model.requests) {
    const own = chats.filter((chat) => request.texts("user").some((text) => text.includes(`I am ${chat}`)));
    expect(own).toHaveLength(1);
    for (const { text } of request.toolResults) expect(text).toBe(`in ${own[0]}`);
  }
});
