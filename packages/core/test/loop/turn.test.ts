import { expect, test } from "vitest";

import type { Policy } from "../../src/contract/policy.ts";
import { callsTool, says } from "../../src/testing.ts";
import { callsTools, emptyAnswer, stalls } from "../../src/internal-testing.ts";
import { CHAT, eventsOf, occurrences, ofType, startAgent, tool } from "../support/agent.ts";

test("R1 a turn alternates responses and tool calls until a response has none", async (t) => {
  const { agent, model, records } = await startAgent(t, { tools: [tool("note")] });
  model.replies(callsTool("note", { n: 1 }), callsTool("note", { n: 2 }), says("all done"));
  const outcome = await agent.send(CHAT, "go").finished;
  expect(outcome).toMatchObject({ text: "all done", reason: "done", toolsUsed: ["note"] });
  expect(model.requests).toHaveLength(3);
  expect(ofType(await records(), "tool.finished").map(({ message }) => message.parts)).toEqual([
    [{ type: "text", text: "done" }],
    [{ type: "text", text: "done" }],
  ]);
  expect(ofType(await records(), "reply.queued").map(({ parts }) => parts)).toEqual([
    [{ type: "text", text: "all done" }],
  ]);
});

for (const limit of [1, 5, 20, 25, 40, 50])
  test(`R8 LP17 an always-calling model is asked exactly ${limit} times when maxIterations is ${limit}`, async (t) => {
    const { agent, model } = await startAgent(t, { tools: [tool("note")], settings: { maxIterations: limit } });
    model.route(() => true, ...Array.from({ length: limit + 5 }, (_, n) => callsTool("note", { n })));
    expect(await agent.send(CHAT, "go").finished).toMatchObject({ reason: "limit" });
    expect(model.requests).toHaveLength(limit);
  });

for (const [maxToolCalls, executed] of [
  [2, 2],
  [5, 5],
  ["maxIterations", 4],
  [null, 12],
] as const)
  test(`R9 TL11 with maxToolCalls ${maxToolCalls} parallel calls count one by one`, async (t) => {
    const { agent, model, records } = await startAgent(t, {
      tools: [tool("note")],
      settings: { maxIterations: 4, maxToolCalls },
    });
    const batch = (round: number): ReturnType<typeof callsTools> =>
      callsTools([1, 2, 3].map((n) => ({ name: "note", args: { round, n } })));
    model.replies(batch(1), batch(2), batch(3), batch(4), batch(5));
    expect(await agent.send(CHAT, "go").finished).toMatchObject({ reason: "limit" });
    expect(ofType(await records(), "tool.started")).toHaveLength(executed);
  });

test("R31 each message stands exactly once in each request", async (t) => {
  const { agent, model } = await startAgent(t, { tools: [tool("note")] });
  model.replies(callsTool("note"), says("one"), says("two"));
  await agent.send(CHAT, "first question").finished;
  await agent.send(CHAT, "second question").finished;
  expect(
    model.requests.map((request) => [occurrences(request, "first question"), occurrences(request, "second question")]),
  ).toEqual([
    [1, 0],
    [1, 0],
    [1, 1],
  ]);
});

test("R32 CX3 within an epoch each request is an extension of the one before", async (t) => {
  const { agent, model, clock } = await startAgent(t, { tools: [tool("note"), tool("other")] });
  model.replies(
    callsTool("note", '{ "b": 1,\n "a": "é" }'),
    callsTools([{ name: "other" }, { name: "nobody" }], { text: "hm" }),
    says("one"),
    says("two"),
    says("three"),
  );
  for (const text of ["a", "b", "c"]) {
    await agent.send(CHAT, text).finished;
    await clock.advance(3_600_000);
  }
  expect(model.requests).toHaveLength(5);
  for (const [index, request] of model.requests.entries()) {
    const before = model.requests[index - 1]?.sequence ?? [];
    expect(request.sequence.slice(0, before.length)).toEqual(before);
  }
});

test("R34 text is shown as it arrives; a tool starts only after the response ended", async (t) => {
  const { agent, model } = await startAgent(t, { tools: [tool("note")] });
  const held = stalls({ after: "first", rest: callsTool("note", {}, { text: " second" }) });
  model.replies(held, says("end"));
  const turn = agent.send(CHAT, "go");
  const seen: string[] = [];
  const shownWhileHeld: string[] = [];
  for await (const event of turn) {
    if (event.type === "text.delta") seen.push(event.text);
    if (event.type === "model.responded" || event.type === "tool.started") seen.push(event.type);
    if (event.type === "text.delta" && event.text === "first") {
      shownWhileHeld.push(...seen);
      held.release();
    }
  }
  expect(shownWhileHeld).toEqual(["first"]);
  expect(seen).toEqual(["first", " second", "model.responded", "tool.started", "end", "model.responded"]);
});

test("R36 a response with calls is one assistant message, followed by one result per call in order", async (t) => {
  const { agent, model } = await startAgent(t, {
    tools: [
      tool("a"),
      tool("b", "write"),
      tool("c", "read", () => Promise.reject(Object.assign(new Error("broken"), { retryable: false }))),
    ],
    settings: { maxRetries: 1 },
  });
  model.replies(
    callsTools([{ name: "b" }, { name: "missing" }, { name: "c" }, { name: "a" }], { text: "Working." }),
    says("end"),
  );
  await agent.send(CHAT, "go").finished;
  const messages = model.requests[1]?.messages.slice(-5) ?? [];
  expect(messages.map((message) => message.role)).toEqual(["assistant", "tool", "tool", "tool", "tool"]);
  const calls = messages[0]?.parts.filter((part) => part.type === "call") ?? [];
  expect(calls.map((part) => part.name)).toEqual(["b", "missing", "c", "a"]);
  expect(model.requests[1]?.toolResults.map((result) => result.callId)).toEqual(calls.map((part) => part.callId));
});

test("R38 start, execution, then record and result in one commit, for each call in turn", async (t) => {
  const seen: string[] = [];
  const { agent, model } = await startAgent(t, {
    tools: [tool("note", "write", (input) => `run ${seen.push(`run ${JSON.stringify(input["n"])}`)}`)],
  });
  model.replies(callsTools([1, 2].map((n) => ({ name: "note", args: { n } }))), says("end"));
  const session = await agent.sessions.open(CHAT, { channel: "test", chat: "1" });
  session.subscribe((event) => {
    if (event.type === "tool.started" || event.type === "tool.finished") seen.push(event.type);
  });
  await agent.send(CHAT, "go").finished;
  expect(seen).toEqual(["tool.started", "run 1", "tool.finished", "tool.started", "run 2", "tool.finished"]);
});

for (const parallel of [true, false])
  test(`R39 TL8 calls run in order; with parallelTools ${parallel} neighboring reads ${parallel ? "overlap" : "do not overlap"}`, async (t) => {
    const seen: string[] = [];
    const both = Promise.withResolvers<void>();
    const timed = (name: string, effect: "read" | "write"): ReturnType<typeof tool> =>
      tool(name, effect, async () => {
        seen.push(`+${name}`);
        if (seen.includes("+r1") && seen.includes("+r2")) both.resolve();
        if (parallel && (name === "r1" || name === "r2")) await both.promise;
        await Promise.resolve();
        seen.push(`-${name}`);
        return name;
      });
    const { agent, model } = await startAgent(t, {
      tools: [timed("r1", "read"), timed("r2", "read"), timed("w", "write"), timed("r3", "read")],
      settings: { parallelTools: parallel },
    });
    model.replies(callsTools(["r1", "r2", "w", "r3"].map((name) => ({ name }))), says("end"));
    await agent.send(CHAT, "go").finished;
    expect(parallel ? seen.toSpliced(2, 2) : seen).toEqual(
      parallel ? ["+r1", "+r2", "+w", "-w", "+r3", "-r3"] : ["+r1", "-r1", "+r2", "-r2", "+w", "-w", "+r3", "-r3"],
    );
    expect(model.requests[1]?.toolResults.map((result) => result.text)).toEqual(["r1", "r2", "w", "r3"]);
  });

/** Commands that end when all of a batch have begun, or after `least` of them. */
function commands(least: number): { readonly exec: ReturnType<typeof tool>; readonly seen: string[] } {
  const seen: string[] = [];
  const together = Promise.withResolvers<void>();
  let begun = 0;
  const exec = tool("exec", "write", async (input) => {
    const name = String(input["n"]);
    seen.push(`+${name}`);
    if (++begun >= least) together.resolve();
    await together.promise;
    seen.push(`-${name}`);
    return name;
  });
  return { exec, seen };
}

test("R39 TL8 neighboring commands run at once, with all intents in one commit; another write is a barrier", async (t) => {
  const { exec, seen } = commands(3);
  const write = tool("w", "write", () => (seen.push("w"), "w"));
  const { agent, model, records } = await startAgent(t, { tools: [exec, write] });
  const call = (n: number): { readonly name: string; readonly args: object } => ({ name: "exec", args: { n } });
  model.replies(callsTools([call(1), call(2), call(3), { name: "w" }, call(4)]), says("end"));
  await agent.send(CHAT, "go").finished;
  expect(seen.slice(0, 3)).toEqual(["+1", "+2", "+3"]);
  expect(seen.slice(6)).toEqual(["w", "+4", "-4"]);
  expect(model.requests[1]?.toolResults.map((result) => result.text)).toEqual(["1", "2", "3", "w", "4"]);
  const session = await agent.sessions.find(CHAT);
  const intents: number[] = [];
  for await (const commit of session?.history() ?? []) intents.push(ofType(commit.records, "tool.started").length);
  expect(intents.filter((count) => count > 0)).toEqual([3, 1, 1]);
  expect(ofType(await records(), "tool.finished")).toHaveLength(5);
});

test("plan-calls/MAX_COMMANDS R39 nine commands are two batches", async (t) => {
  const { exec, seen } = commands(8);
  const { agent, model } = await startAgent(t, { tools: [exec] });
  model.replies(callsTools(Array.from({ length: 9 }, (_, n) => ({ name: "exec", args: { n } }))), says("end"));
  await agent.send(CHAT, "go").finished;
  expect(seen.slice(0, 8).every((step) => step.startsWith("+"))).toBe(true);
  expect(seen.slice(-2)).toEqual(["+8", "-8"]);
});

test("R39 R78 a command that a person allowed runs alone: its neighbor could change what they allowed", async (t) => {
  const { exec, seen } = commands(1);
  const policy: Policy = {
    admit: () => Promise.resolve({ ok: true }),
    judge: ({ input }) =>
      Promise.resolve({ kind: "allow", rule: "test", ...(JSON.stringify(input) === '{"n":2}' && { by: "ann" }) }),
  };
  const { agent, model } = await startAgent(t, { tools: [exec], policy });
  model.replies(callsTools([1, 2, 3, 4].map((n) => ({ name: "exec", args: { n } }))), says("end"));
  await agent.send(CHAT, "go").finished;
  expect(seen).toEqual(["+1", "-1", "+2", "-2", "+3", "+4", "-3", "-4"]);
});

test("R48 a message sent while a tool runs is seen by the next request of the same turn", async (t) => {
  const running = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("wait", "read", () => (running.resolve(), release.promise.then(() => "waited")))],
  });
  model.replies(callsTool("wait"), says("ok, pnpm"));
  const first = agent.send(CHAT, "install it");
  await running.promise;
  const second = agent.send(CHAT, "use pnpm");
  const session = await agent.sessions.find(CHAT);
  for await (const event of session?.events(session.state.seq, t.signal) ?? [])
    if (event.type === "message.received") break;
  release.resolve();
  const outcomes = await Promise.all([first.finished, second.finished]);
  expect(outcomes.map(({ text }) => text)).toEqual(["ok, pnpm", "ok, pnpm"]);
  expect(model.requests).toHaveLength(2);
  expect([occurrences(model.requests[1], "install it"), occurrences(model.requests[1], "use pnpm")]).toEqual([1, 1]);
  expect(ofType(await records(), "reply.queued")).toHaveLength(1);
});

test("R48 without steering it starts its own turn afterwards", async (t) => {
  const running = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("wait", "read", () => (running.resolve(), release.promise.then(() => "waited")))],
    settings: { steering: false },
  });
  model.replies(callsTool("wait"), says("one"), says("two"));
  const first = agent.send(CHAT, "install it");
  await running.promise;
  const second = agent.send(CHAT, "use pnpm");
  release.resolve();
  const outcomes = await Promise.all([first.finished, second.finished]);
  expect(outcomes.map(({ text }) => text)).toEqual(["one", "two"]);
  expect(occurrences(model.requests[1], "use pnpm")).toBe(0);
  expect(ofType(await records(), "reply.queued")).toHaveLength(2);
});

for (const [replyText, text] of [
  ["final", "second"],
  ["all", "firstsecond"],
] as const)
  test(`R49 with replyText ${replyText} the reply is "${text}"`, async (t) => {
    const { agent, model, records } = await startAgent(t, { tools: [tool("note")], settings: { replyText } });
    model.replies(callsTool("note", {}, { text: "first" }), says("second"));
    expect((await agent.send(CHAT, "go").finished).text).toBe(text);
    expect(ofType(await records(), "reply.queued").map(({ parts }) => parts)).toEqual([[{ type: "text", text }]]);
  });

test("R50 a turn that only sent a message through a tool ends without a second reply", async (t) => {
  const started = await startAgent(t, {
    tools: [
      tool("tell", "write", async (_input, context) => {
        const session = await started.agent.sessions.find(CHAT);
        await session?.commit({
          type: "reply.queued",
          reply: `${context.callId}:message`,
          to: context.origin,
          kind: "message",
          parts: [{ type: "text", text: "told" }],
          call: context.callId,
        });
        return "sent";
      }),
    ],
  });
  const { agent, model, records } = started;
  model.replies(callsTool("tell"), emptyAnswer());
  expect(await agent.send(CHAT, "go").finished).toMatchObject({ reason: "done", text: "" });
  expect(ofType(await records(), "reply.queued").map(({ kind }) => kind)).toEqual(["message"]);
  expect(model.requests).toHaveLength(2);
});

test("R26 the events of a turn end with it", async (t) => {
  const { agent, model } = await startAgent(t);
  model.replies(says("hello", { chunks: ["hel", "lo"] }));
  const events = await eventsOf(agent.send(CHAT, "go"));
  expect(events.flatMap((event) => (event.type === "text.delta" ? [event.text] : [])).join("")).toBe("hello");
  expect(events.at(-1)?.type).toMatch(/turn\.ended|reply\.queued/);
});
