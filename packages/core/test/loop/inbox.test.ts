import { expect, test } from "vitest";
import type { InboundMessage, Policy } from "../../src/index.ts";
import type { Accepted } from "../../src/internal.ts";
import { recordingChannel, says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { CHAT, eventsOf, occurrences, ofType, startAgent, tool } from "../support/agent.ts";

const inbound = (key: string, text: string, rest: Partial<InboundMessage> = {}): InboundMessage => ({
  key,
  origin: { channel: "test", chat: "1" },
  from: { id: "ann", kind: "person" },
  parts: [{ type: "text", text }],
  ...rest,
});

test("R256 the same channel and key is accepted once, in this process and after a restart", async (t) => {
  const started = await startAgent(t);
  started.model.replies(says("one"));
  const both = await Promise.all([
    started.agent.bus.accept(inbound("7", "hi")),
    started.agent.bus.accept(inbound("7", "hi")),
  ]);
  expect(both.map((item) => item.status).toSorted()).toEqual(["accepted", "duplicate"]);
  await started.agent.idle();
  const { agent, records } = await started.restart();
  expect(await agent.bus.accept(inbound("7", "hi"))).toEqual({ status: "duplicate" });
  expect(ofType(await records(), "turn.ended")).toHaveLength(1);
  expect(started.model.requests).toHaveLength(1);
});

test("R253 ids that are no strings and empty messages are refused at run time too", async (t) => {
  const { agent, model } = await startAgent(t);
  const number = inbound("1", "hi", { from: { id: 42 as unknown as string, kind: "person" } }); // a caller without types
  expect(await agent.bus.accept(number)).toEqual({ status: "refused", reason: "sender must be a non-empty string." });
  expect((await agent.bus.accept(inbound("2", "hi", { parts: [] }))).status).toBe("refused");
  expect(model.requests).toHaveLength(0);
});

test("R422 two conversations take a message with the same key in the same moment, as two subagents take their task", async (t) => {
  const { agent, model } = await startAgent(t);
  const task = (sessionKey: string): Promise<Accepted> =>
    agent.bus.accept(inbound("task", `work of ${sessionKey}`, { sessionKey }));
  const accepted = await Promise.all([task("subagent:a"), task("subagent:b"), task("subagent:a")]);
  expect(accepted.map(({ status }) => status)).toEqual(["accepted", "accepted", "duplicate"]);
  await agent.idle();
  expect(model.requests).toHaveLength(2);
});

test("R257 R339 LP11 a full lane refuses before accepting and drops nothing it accepted", async (t) => {
  const { agent, model } = await startAgent(t, { settings: { maxPending: 3, steering: false } });
  const hung = stalls();
  model.replies(hung, says("b"), says("c"), says("d"));
  await agent.bus.accept(inbound("0", "first"));
  await model.received(1);
  const answers = [];
  for (const key of ["1", "2", "3", "4", "5"]) answers.push(await agent.bus.accept(inbound(key, `message ${key}`)));
  expect(answers.map((item) => item.status)).toEqual(["accepted", "accepted", "accepted", "refused", "refused"]);
  expect(answers.at(-1)).toMatchObject({
    until: "room",
    answer: "3 messages are waiting already; this one was not taken. Send it again after an answer, or send /stop.",
  });
  hung.release();
  await agent.idle();
  expect(["1", "2", "3", "4"].map((key) => occurrences(model.requests.at(-1), `message ${key}`))).toEqual([1, 1, 1, 0]);
});

test("R260 a sender the policy does not admit reaches no model", async (t) => {
  const policy: Policy = {
    admit: () => Promise.resolve({ ok: false, reason: "unknown sender", answer: "ask the operator" }),
    judge: () => Promise.resolve({ kind: "allow", rule: "t" }),
  };
  const { agent, model, records } = await startAgent(t, { policy });
  expect(await agent.bus.accept(inbound("1", "hi"))).toEqual({
    status: "refused",
    reason: "unknown sender",
    answer: "ask the operator",
  });
  expect(model.requests).toHaveLength(0);
  expect(await records("test:1")).toEqual([]);
});

test("R22 messages of one session are answered one at a time, in order of arrival", async (t) => {
  const { agent, model, records } = await startAgent(t, { settings: { steering: false } });
  model.route(() => true, ...Array.from({ length: 20 }, (_, n) => says(`answer ${n}`)));
  for (let n = 0; n < 20; n++) await agent.bus.accept(inbound(`${n}`, `question ${n}`));
  await agent.idle();
  const turns = (await records())
    .filter((record) => record.type === "turn.started" || record.type === "turn.ended")
    .map((record) => record.type);
  expect(turns).toEqual(Array.from({ length: 20 }, () => ["turn.started", "turn.ended"]).flat());
  expect(ofType(await records(), "turn.ended").map(({ text }) => text)).toEqual(
    Array.from({ length: 20 }, (_, n) => `answer ${n}`),
  );
});

for (const [concurrency, overlap] of [
  [8, 2],
  [1, 1],
] as const)
  test(`R23 R336 with agent.concurrency ${concurrency} at most ${overlap} of two sessions work at once`, async (t) => {
    let working = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    const slow = tool("slow", "read", async () => {
      most = Math.max(most, ++working);
      if (overlap === 1 || working === 2) gate.resolve();
      await gate.promise;
      working--;
      return "done";
    });
    const { agent, model } = await startAgent(t, { tools: [slow], settings: { concurrency } });
    const { callsTool } = await import("../../src/testing.ts");
    for (const chat of ["a", "b"])
      model.route(
        (request) => request.texts("user").some((text) => text === `go ${chat}`),
        callsTool("slow"),
        says("ok"),
      );
    await Promise.all(["a", "b"].map((chat) => agent.send(`test:${chat}`, `go ${chat}`).finished));
    expect(most).toBe(overlap);
  });

test("R21 a message whose processing fails is answered with an error, and the next one is answered", async (t) => {
  let broken = true;
  const { agent, model, records } = await startAgent(t, {
    context: {
      freeze: () => {
        if (broken) throw new Error("disk on fire");
        return Promise.resolve({ hash: "h", system: "s", tools: [] });
      },
      notices: () => Promise.resolve([]),
      project: (state) => state.messages,
    },
  });
  const failed = await agent.send(CHAT, "one").finished;
  expect(failed).toMatchObject({ reason: "failed", error: { code: "internal.bug" } });
  expect(failed.text).toContain("[internal.bug]");
  broken = false;
  model.replies(says("fine"));
  expect((await agent.send(CHAT, "two").finished).text).toBe("fine");
  expect(ofType(await records(), "reply.queued").map(({ kind }) => kind)).toEqual(["error", "reply"]);
});

test("R4 the same message by the bus and by a direct call gives equal requests", async (t) => {
  const { agent, model, clock } = await startAgent(t);
  await agent.bus.accept(inbound("1", "hello", { origin: { channel: "cli", chat: "x" } }));
  await agent.idle();
  void clock;
  await agent.send("cli:y", "hello", { origin: { channel: "cli", chat: "x" } }).finished;
  const [first, second] = model.requests;
  expect(second?.sequence).toEqual(first?.sequence);
});

test("R41 R382 text beside tool calls and hints reach the chat before the reply, when they are switched on", async (t) => {
  const { callsTool } = await import("../../src/testing.ts");
  const channel = recordingChannel("test");
  const { agent, model } = await startAgent(t, {
    tools: [tool("note")],
    channels: [channel],
    settings: { sendProgress: true, sendToolHints: true },
  });
  model.replies(callsTool("note", { n: "abc" }, { text: "Looking." }), says("Done."));
  await eventsOf(agent.send("test:1", "go"));
  await channel.received(3);
  expect(channel.sent.map((message) => [message.kind, message.parts])).toEqual([
    ["progress", [{ type: "text", text: "Looking." }]],
    ["progress", [{ type: "text", text: 'note("abc")' }]],
    ["reply", [{ type: "text", text: "Done." }]],
  ]);
});
