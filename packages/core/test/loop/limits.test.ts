import { expect, test } from "vitest";
import { callsTool, fails, recordingChannel, says } from "../../src/testing.ts";
import { callsTools, cutsAfter, stalls, thinks } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

test("LP11 a full lane refuses before accepting, and drops nothing it accepted", async (t) => {
  const { agent, model, records } = await startAgent(t, { settings: { maxPending: 2, steering: false } });
  const held = stalls({ rest: says("one") });
  model.replies(held, says("two"), says("three"));
  const first = agent.send(CHAT, "1").finished;
  await model.received(1);
  const more = [agent.send(CHAT, "2").finished, agent.send(CHAT, "3").finished];
  await expect.poll(async () => ofType(await records(), "message.received").length).toBe(3);
  await expect(agent.send(CHAT, "4").finished).rejects.toMatchObject({ code: "inbox.refused" });
  held.release();
  expect((await Promise.all([first, ...more])).map(({ text }) => text)).toEqual(["one", "two", "three"]);
});

test("LP11 R257 messages that come at once are counted together", async (t) => {
  const { agent, model } = await startAgent(t, { settings: { maxPending: 5, steering: false } });
  const held = stalls({ rest: says("one") });
  model.replies(held);
  const turns = Array.from({ length: 12 }, (_, n) =>
    agent.send(CHAT, String(n)).finished.then(
      () => "ok",
      () => "refused",
    ),
  );
  await model.received(1);
  held.release();
  const all = await Promise.all(turns);
  expect(all.filter((x) => x === "refused").length).toBeGreaterThanOrEqual(6);
});

test("LP19 a tool that throws something odd still leaves one result per call", async (t) => {
  const { agent, model } = await startAgent(t, {
    tools: [
      tool("odd", "write", () => Promise.reject(undefined as unknown as Error)),
      tool("huge", "write", () => Promise.reject(new Error("x".repeat(1e6)))),
      tool("note", "write"),
    ],
  });
  model.replies(callsTools([{ name: "odd" }, { name: "huge" }, { name: "note" }]), says("ok"));
  await agent.send(CHAT, "go").finished;
  const texts = model.requests[1]?.toolResults.map(({ text }) => text) ?? [];
  expect(texts).toHaveLength(3);
  expect(texts.every((x) => x.length > 3 && x.length < 20_000)).toBe(true);
});

test("TL9 a tool that ignores its signal is abandoned at its deadline; its late result is dropped", async (t) => {
  const late = Promise.withResolvers<string>();
  const { agent, model, clock, records } = await startAgent(t, {
    tools: [tool("deaf", "write", () => late.promise)],
    settings: { toolTimeoutMs: 60_000 },
  });
  model.replies(callsTool("deaf"), says("moving on"));
  const turn = agent.send(CHAT, "go").finished;
  await clock.waitForSleep(60_000, 60_000);
  await clock.advance(60_000);
  expect((await turn).text).toBe("moving on");
  late.resolve("too late");
  await agent.idle();
  expect(JSON.stringify(await records())).not.toContain("too late");
  expect(model.requests[1]?.toolResults[0]?.text).toMatch(/60 s/);
});

test("LP5 TL9 a stop does not wait for a tool that ignores its signal", async (t) => {
  const running = Promise.withResolvers<void>();
  const { agent, model } = await startAgent(t, {
    tools: [tool("deaf", "write", () => (running.resolve(), new Promise<string>(() => {})))],
  });
  model.replies(callsTool("deaf"), says("next"));
  const turn = agent.send(CHAT, "go").finished;
  await running.promise;
  expect(await agent.control(CHAT, { type: "stop", withdraw: false }, { id: "ann", kind: "person" })).toMatchObject({
    stopped: true,
  });
  expect(await turn).toMatchObject({ reason: "cancelled" });
});

test("PR26 LP24 a budget is checked before the request; the turn that finds it used up says so", async (t) => {
  const { agent, model, records } = await startAgent(t, {
    settings: { budgets: [{ scope: "session", tokens: 30_000 }], maxTokens: 1000 },
  });
  model.replies(says("a", { usage: { input: 20_000, output: 9_500 } }), says("b"));
  expect((await agent.send(CHAT, "1").finished).usage).toMatchObject({ input: 20_000, output: 9_500 });
  const second = await agent.send(CHAT, "2").finished;
  expect(second).toMatchObject({ reason: "budget", error: { code: "budget.exhausted" } });
  expect(model.requests).toHaveLength(1);
  expect(ofType(await records(), "reply.queued").map(({ kind }) => kind)).toEqual(["reply", "error"]);
});

test("R256 a message that arrives ten times at once is one turn", async (t) => {
  const channel = recordingChannel("chat");
  const { agent, model } = await startAgent(t, { channels: [channel] });
  const controller = new AbortController();
  const run = agent.run(controller.signal);
  const all = await Promise.all(Array.from({ length: 10 }, () => channel.deliver("hi", { key: "k" })));
  expect(all.filter(({ status }) => status === "accepted")).toHaveLength(1);
  await channel.received(1);
  expect(model.requests).toHaveLength(1);
  controller.abort();
  await run;
});

test("R164 a provider that refuses for length whatever is left out: the turn fails visibly and soon", async (t) => {
  const { agent, model } = await startAgent(t, { tools: [tool("note")] });
  const refusal = fails(400, {
    error: { message: "maximum context length is 10 tokens", code: "context_length_exceeded" },
  });
  for (let n = 0; n < 5; n++) model.expectNewEpoch("compacted");
  model.replies(refusal, refusal, refusal, refusal, refusal, refusal);
  const outcome = await agent.send(CHAT, "hi").finished;
  expect(outcome).toMatchObject({ reason: "failed", error: { code: "provider.context-length" } });
  expect(model.requests.length).toBeLessThan(7);
});

test("CX2 PR1 the closing request after a call that was cut off has something between two answers", async (t) => {
  const { agent, model } = await startAgent(t, {
    tools: [tool("note")],
    settings: { maxIterations: 1, limitSummary: true },
  });
  model.replies({ ...callsTool("note", {}, { text: "Half" }), finish: "length" }, says("All I know."), says("Hello."));
  expect((await agent.send(CHAT, "go").finished).text).toContain("All I know.");
  expect(model.requests[1]?.messages.map(({ role }) => role).at(-1)).toBe("user");
  expect((await agent.send(CHAT, "still there?").finished).text).toBe("Hello.");
});

test("LP12 LP20 a turn that ends before its first request takes its own message alone; the one behind it is answered", async (t) => {
  const { agent, model, records } = await startAgent(t, {
    settings: { budgets: [{ scope: "session", tokens: 30_000 }], maxTokens: 1000 },
  });
  const held = stalls({ rest: says("one", { usage: { input: 29_000, output: 900 } }) });
  model.replies(held);
  const first = agent.send(CHAT, "1").finished;
  await model.received(1);
  const others = [agent.send(CHAT, "2").finished, agent.send(CHAT, "3").finished];
  await expect.poll(async () => ofType(await records(), "message.received").length).toBe(3);
  held.release();
  expect((await Promise.all([first, ...others])).map(({ reason }) => reason)).toEqual(["done", "budget", "budget"]);
  expect(ofType(await records(), "reply.queued")).toHaveLength(3);
});

test("PR26 a stopped request gives back what it had booked", async (t) => {
  const { agent, model } = await startAgent(t, { settings: { budgets: [{ scope: "day", tokens: 15_000 }] } });
  model.replies(stalls({ after: "Half" }), stalls(), says("answered"));
  for (const text of ["one", "two"]) {
    const asked = model.requests.length + 1;
    const turn = agent.send(CHAT, text).finished;
    await model.received(asked);
    await agent.control(CHAT, { type: "stop", withdraw: true }, { id: "ann", kind: "person" });
    expect(await turn).toMatchObject({ reason: "cancelled" });
  }
  expect(await agent.send(CHAT, "three").finished).toMatchObject({ reason: "done", text: "answered" });
});

test("PR26 what a request produced before it failed is paid for, at once and after a restart", async (t) => {
  const settings = { budgets: [{ scope: "day", tokens: 30_000 } as const], maxTokens: 1000 };
  const started = await startAgent(t, { settings });
  const { agent, model, clock, records } = started;
  const lost = thinks("thought ".repeat(10_000), cutsAfter(""));
  model.replies(lost, lost, says("never asked"));
  const turn = agent.send(CHAT, "go").finished;
  await clock.waitForSleep(0, 60_000);
  await clock.advance(60_000);
  expect(await turn).toMatchObject({ reason: "budget", error: { code: "budget.exhausted" } });
  expect(model.requests).toHaveLength(2);
  const failed = ofType(await records(), "model.failed");
  expect(failed.map(({ usage }) => usage?.output)).toEqual([20_000, 20_000]);
  expect(failed.every(({ usage }) => usage?.estimated === true && usage.input > 0)).toBe(true);
  const after = await started.restart({ settings });
  expect(await after.agent.send(CHAT, "again").finished).toMatchObject({ reason: "budget" });
  expect(after.model.requests).toHaveLength(2);
});
