import { expect, test } from "vitest";

import type { Address } from "../../src/contract/message.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { ofType, startAgent, tool } from "../support/agent.ts";

/** A turn in chat 1 whose tool runs until `release`. */
async function busy(t: Parameters<typeof startAgent>[0]): Promise<
  Awaited<ReturnType<typeof startAgent>> & {
    readonly channel: ReturnType<typeof recordingChannel>;
    release(): void;
    stop(): Promise<void>;
  }
> {
  const running = Promise.withResolvers<void>();
  const release = Promise.withResolvers<string>();
  const channel = recordingChannel("chat");
  const started = await startAgent(t, {
    channels: [channel],
    tools: [tool("wait", "read", () => (running.resolve(), release.promise))],
  });
  started.model.replies(callsTool("wait"));
  const controller = new AbortController();
  const run = started.agent.run(controller.signal);
  await channel.deliver("start", { chat: "1" });
  await running.promise;
  return {
    ...started,
    channel,
    release: () => release.resolve("waited"),
    async stop() {
      controller.abort();
      await run;
    },
  };
}

test("LP9 several waiting messages are placed after the tool round, in the order they came", async (t) => {
  const { model, channel, release, stop } = await busy(t);
  model.replies(says("all seen"));
  await channel.deliver("second", { chat: "1", from: { id: "bob", name: "Bob", kind: "person" } });
  await channel.deliver("third", { chat: "1" });
  release();
  await channel.received(1);
  const roles = model.requests[1]?.messages.map(({ role }) => role) ?? [];
  expect(roles.slice(-3)).toEqual(["assistant", "tool", "user"]);
  const texts = model.requests[1]?.texts("user") ?? [];
  expect(texts.findIndex((text) => text.includes("second"))).toBeLessThan(
    texts.findIndex((text) => text.includes("third")),
  );
  expect(channel.texts()).toEqual(["all seen"]);
  await stop();
});

test("LP12 a scheduled message waits for a turn of its own", async (t) => {
  const { model, channel, release, records, stop } = await busy(t);
  model.replies(says("for the person"), says("for the schedule"));
  await channel.deliver("good morning", { chat: "1", from: { id: "cron", kind: "schedule" }, attended: false });
  release();
  await channel.received(2);
  expect(channel.texts()).toEqual(["for the person", "for the schedule"]);
  expect(model.requests[1]?.texts("user").join()).not.toContain("good morning");
  expect(ofType(await records("chat:1"), "turn.started")).toHaveLength(2);
  await stop();
});

test("LP13 a message from another chat of the same session does not change where the reply goes", async (t) => {
  const { agent, model, channel, release, stop } = await busy(t);
  model.replies(says("to one"), says("to two"));
  const origin: Address = { channel: "chat", chat: "2" };
  await agent.bus.accept({
    key: "x",
    origin,
    sessionKey: "chat:1",
    from: { id: "bob", kind: "person" },
    parts: [{ type: "text", text: "hello from two" }],
  });
  release();
  await channel.received(2);
  expect(channel.sent.map(({ to, parts }) => [to.chat, parts])).toEqual([
    ["1", [{ type: "text", text: "to one" }]],
    ["2", [{ type: "text", text: "to two" }]],
  ]);
  await stop();
});

test("LP13 a message from elsewhere is answered where it says, in a turn of its own", async (t) => {
  const { agent, model, channel, records, release, stop } = await busy(t);
  model.replies(says("to one"), says("also there"), says("only here"));
  const from = { id: "user", kind: "person" } as const;
  const origin: Address = { channel: "web", chat: "page" };
  const write = (key: string, replyTo?: Address): Promise<unknown> =>
    agent.bus.accept({
      key,
      origin,
      sessionKey: "chat:1",
      from,
      parts: [{ type: "text", text: key }],
      ...(replyTo !== undefined && { replyTo }),
    });
  await write("in the chat", { channel: "chat", chat: "2" });
  await write("on the page");
  release();
  await channel.received(2);
  await agent.idle();
  expect(channel.sent.map(({ to, parts }) => [to.chat, parts])).toEqual([
    ["1", [{ type: "text", text: "to one" }]],
    ["2", [{ type: "text", text: "also there" }]],
  ]);
  const queued = ofType(await records("chat:1"), "reply.queued");
  expect(queued.map(({ to }) => to.channel)).toEqual(["chat", "chat", "web"]);
  await stop();
});

test("DF10 R419 LP9 a message that arrives while the model answers opens the next turn, and both answers leave", async (t) => {
  const channel = recordingChannel("chat");
  const { agent, model, records } = await startAgent(t, { channels: [channel] });
  const controller = new AbortController();
  const run = agent.run(controller.signal);
  const first = stalls({ after: "the ", rest: says("first") });
  model.replies(first, says("the second"));
  await channel.deliver("the first?", { chat: "1" });
  await model.received(1);
  await channel.deliver("and the second?", { chat: "1" });
  first.release();
  await channel.received(2);
  expect(channel.texts()).toEqual(["the first", "the second"]);
  expect(ofType(await records("chat:1"), "turn.started")).toHaveLength(2);
  controller.abort();
  await run;
});
