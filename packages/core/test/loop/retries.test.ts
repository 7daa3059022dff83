import { expect, test } from "vitest";

import { RuntimeError } from "../../src/lib/errors/errors.ts";
import { callsTool, fails, says } from "../../src/testing.ts";
import { emptyAnswer, lengthStop, refuses } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

test("R390 R10 R61 R64 a read tool that always throws runs three times, one second apart, and the model is told", async (t) => {
  const at: number[] = [];
  const { agent, model, clock, records } = await startAgent(t, {
    tools: [tool("flaky", "read", () => (at.push(clock.monotonic()), Promise.reject(new Error("no luck"))))],
  });
  model.replies(callsTool("flaky"), says("I give up"));
  const turn = agent.send(CHAT, "go").finished;
  for (let waits = 1; waits <= 2; waits++) {
    await clock.waitForSleep(1, 1000);
    await clock.advance(1000);
  }
  expect((await turn).text).toBe("I give up");
  expect(at).toEqual([0, 1000, 2000]);
  expect(model.requests[1]?.toolResults.map(({ text }) => text)).toEqual([
    "Error: flaky failed after 3 attempts: no luck",
  ]);
  expect(ofType(await records(), "tool.finished").map(({ message, attempts }) => [message.status, attempts])).toEqual([
    ["error", 3],
  ]);
  expect(clock.monotonic()).toBe(2000);
});

for (const [what, effect, error, settings] of [
  ["R62 a write tool", "write", new Error("no luck"), {}],
  ["R61 an error that is not retryable", "read", new RuntimeError("tool.refused", "no luck"), {}],
  ["R61 with maxRetries 1 a read tool", "read", new Error("no luck"), { maxRetries: 1 }],
] as const)
  test(`${what} is tried once`, async (t) => {
    let runs = 0;
    const { agent, model } = await startAgent(t, {
      tools: [tool("flaky", effect, () => (runs++, Promise.reject(error)))],
      settings,
    });
    model.replies(callsTool("flaky"), says("I see"));
    await agent.send(CHAT, "go").finished;
    expect(runs).toBe(1);
    expect(model.requests[1]?.toolResults[0]?.text).toMatch(/^Error: flaky failed: no luck/);
  });

test("R63 a returned text is a result, whatever it says", async (t) => {
  let runs = 0;
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("odd", "read", () => (runs++, "Error: this is fine"))],
  });
  model.replies(callsTool("odd"), says("fine"));
  await agent.send(CHAT, "go").finished;
  expect([runs, model.requests[1]?.toolResults[0]?.text]).toEqual([1, "Error: this is fine"]);
  expect(ofType(await records(), "tool.finished")[0]?.message.status).toBe("ok");
});

test("R72 two 503 and then a text: one reply, three requests, the waits journaled", async (t) => {
  const { agent, model, clock, records } = await startAgent(t);
  model.replies(fails(503), fails(503), says("there you are"));
  const turn = agent.send(CHAT, "go").finished;
  for (const count of [1, 2]) {
    await model.received(count);
    // The wait is random from nothing on; whatever it is, it is over after its bound.
    await expect.poll(async () => ofType(await records(), "model.failed").length).toBe(count);
    await clock.advance(2000);
  }
  expect((await turn).text).toBe("there you are");
  expect(model.requests).toHaveLength(3);
  expect(
    ofType(await records(), "model.failed").map((record) => [record.error.retryable, record.retryAt !== undefined]),
  ).toEqual([
    [true, true],
    [true, true],
  ]);
  expect(ofType(await records(), "reply.queued")).toHaveLength(1);
});

test("R72 PR11 the provider's Retry-After is honored, plus a second", async (t) => {
  const { agent, model, clock } = await startAgent(t);
  model.replies(fails(429, undefined, { "retry-after": "7" }), says("ok"));
  const turn = agent.send(CHAT, "go").finished;
  expect(await clock.waitForSleep(7000, 9000)).toBe(8000);
  await clock.advance(8000);
  expect((await turn).text).toBe("ok");
});

test("R59 R60 errors that cannot be cured end their turn with a sentence, and the loop goes on", async (t) => {
  const { agent, model, records } = await startAgent(t);
  model.replies(
    fails(401, { error: { message: "Incorrect API key provided: sk-secret" } }),
    fails(400),
    fails(404),
    says("back again"),
  );
  for (const code of ["provider.auth", "provider.bad-request", "provider.not-found"]) {
    const outcome = await agent.send(CHAT, `try ${code}`).finished;
    expect(outcome).toMatchObject({ reason: "failed", error: { code } });
    expect(outcome.text).toMatch(new RegExp(`^[^\\n]+\\. [^\\n]+\\. \\[${code.replace(".", "\\.")}\\]$`));
    expect(outcome.text).not.toContain("sk-secret");
  }
  expect((await agent.send(CHAT, "and now?").finished).text).toBe("back again");
  expect(ofType(await records(), "reply.queued").map(({ kind }) => kind)).toEqual(["error", "error", "error", "reply"]);
  const last = model.requests[3];
  expect(last?.texts("assistant")).toEqual([]);
  expect(JSON.stringify(last?.messages)).not.toContain("[provider.");
  expect(last?.texts("user").filter((text) => text.includes("not answered"))).toHaveLength(3);
});

test("R71 PR7 plan/MAX_EMPTY three empty answers: three requests, one fixed sentence", async (t) => {
  const { agent, model, records } = await startAgent(t, { tools: [tool("note")] });
  model.replies(emptyAnswer(), says(" \n"), says("<think>hm</think>"));
  const outcome = await agent.send(CHAT, "go").finished;
  expect(outcome).toMatchObject({ reason: "failed", error: { code: "model.empty" } });
  expect(model.requests.map((request) => request.body["tool_choice"] === "none")).toEqual([false, false, true]);
  expect(ofType(await records(), "reply.queued")).toHaveLength(1);
});

test("R71 an answer after an empty one is the reply", async (t) => {
  const { agent, model } = await startAgent(t);
  model.replies(emptyAnswer(), says("sorry, here"));
  expect(await agent.send(CHAT, "go").finished).toMatchObject({ reason: "done", text: "sorry, here" });
});

test("PR8 an answer that is cut off at the limit goes on and is joined", async (t) => {
  const { agent, model, records } = await startAgent(t);
  model.replies(lengthStop("The answer is for"), says("ty-two."));
  expect(await agent.send(CHAT, "go").finished).toMatchObject({ reason: "done", text: "The answer is forty-two." });
  expect(model.requests[1]?.texts("user").at(-1)).toContain("The answer is for");
  expect(ofType(await records(), "reply.queued").map(({ parts }) => parts)).toEqual([
    [{ type: "text", text: "The answer is forty-two." }],
  ]);
});

test("PR9 a refusal ends the turn with the provider's text and is not repeated", async (t) => {
  const { agent, model } = await startAgent(t);
  model.replies(refuses("I can't help with that."), says("never"));
  expect((await agent.send(CHAT, "go").finished).text).toBe("I can't help with that.");
  expect(model.requests).toHaveLength(1);
});

test("R282 what a failed attempt quotes is journaled without its secrets", async (t) => {
  const failure = new RuntimeError("tool.failed", "401 for sk-secret", {
    retryable: true,
    details: { sent: ["Bearer sk-secret"] },
  });
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("fetch", "read", () => Promise.reject(failure))],
    settings: { retryDelayMs: 0 },
    redact: (text) => text.replaceAll("sk-secret", "[redacted]"),
  });
  model.replies(callsTool("fetch"), says("It failed."));
  await agent.send(CHAT, "go").finished;
  expect(ofType(await records(), "tool.failed")[0]?.error).toMatchObject({
    message: "401 for [redacted]",
    details: { sent: ["Bearer [redacted]"] },
  });
  expect(JSON.stringify(await records())).not.toContain("sk-secret");
});
