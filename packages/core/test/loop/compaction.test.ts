import { expect, test } from "vitest";

import type { Message } from "../../src/contract/message.ts";
import type { RecordedRequest } from "../../src/internal-testing.ts";
import { callsTool, fails, says } from "../../src/testing.ts";
import { CHAT, occurrences, ofType, startAgent, tool } from "../support/agent.ts";

/** Requests that offer no tools and bring their own instructions: summaries. */
const summaries = (requests: readonly RecordedRequest[]): readonly RecordedRequest[] =>
  requests.filter((request) => request.toolNames.length === 0);
const turns = (requests: readonly RecordedRequest[]): readonly RecordedRequest[] =>
  requests.filter((request) => request.toolNames.length > 0);

for (const [rows, settings, count] of [
  [99, {}, 0],
  [100, {}, 1],
  [50, { memoryWindow: 50, memoryTrigger: "exceed" }, 0],
  [51, { memoryWindow: 50, memoryTrigger: "exceed" }, 1],
] as const)
  test(`R13 R148 R409 with ${rows} rows and ${JSON.stringify(settings)} there are ${count} consolidations`, async (t) => {
    const { agent, model } = await startAgent(t, { tools: [tool("note")], settings });
    await imported(agent, rows);
    await agent.send(CHAT, "one more").finished;
    expect(summaries(model.requests)).toHaveLength(count);
    expect(turns(model.requests)).toHaveLength(1);
  });

test("R161 R162 R163 ME14 afterwards the request holds the summary and the latest rows, from a message of the person on", async (t) => {
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("note")],
    settings: { memoryWindow: 20, memoryKeep: 4 },
  });
  await imported(agent, 20);
  model.route((request) => request.toolNames.length === 0, says("They counted to twenty."));
  await agent.send(CHAT, "and now?").finished;
  const [request] = turns(model.requests);
  expect(occurrences(request, "They counted to twenty.")).toBe(1);
  expect([
    occurrences(request, "row 15"),
    occurrences(request, "row 16"),
    occurrences(request, "row 19"),
    occurrences(request, "and now?"),
  ]).toEqual([0, 1, 1, 1]);
  expect(request?.messages.find(({ role }) => role !== "system")?.role).toBe("user");
  const types = (await records()).map(({ type }) => type);
  expect(types.indexOf("prefix.frozen", types.indexOf("history.compacted"))).toBe(
    types.indexOf("history.compacted") + 1,
  );
  expect(summaries(model.requests)[0]?.texts("user").join()).toContain("row 0");
});

test("R13 a first turn longer than the window is compacted once, and the next message is answered", async (t) => {
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("note")],
    settings: { memoryWindow: 6, memoryKeep: 2 },
  });
  model.replies(...Array.from({ length: 4 }, (_, n) => callsTool("note", { n })), says("Done."), says("In short."));
  await agent.send(CHAT, "go").finished;
  model.expectNewEpoch("compacted");
  expect((await agent.send(CHAT, "and now?").finished).reason).toBe("done");
  expect(ofType(await records(), "history.compacted")).toHaveLength(1);
});

test("R156 a summary that fails loses nothing and does not loop", async (t) => {
  const { agent, model } = await startAgent(t, {
    tools: [tool("note")],
    settings: { memoryWindow: 20, memoryKeep: 4 },
  });
  await imported(agent, 20);
  model.route((request) => request.toolNames.length === 0, fails(400), fails(400));
  await agent.send(CHAT, "and now?").finished;
  await agent.send(CHAT, "and then?").finished;
  expect(summaries(model.requests)).toHaveLength(1);
  expect(turns(model.requests).map((request) => occurrences(request, "row 3"))).toEqual([1, 1]);
});

test("R164 a provider that refuses for length is asked once more with less; the turn completes", async (t) => {
  const { agent, model, records } = await startAgent(t, { tools: [tool("note", "read", () => "x".repeat(3000))] });
  await imported(agent, 40);
  model.replies(callsTool("note"));
  model.route((request) => request.toolNames.length === 0, says("They counted."));
  model.replies(
    fails(400, {
      error: {
        message: "This model's maximum context length is 8192 tokens.",
        type: "invalid_request_error",
        code: "context_length_exceeded",
      },
    }),
    says("done"),
  );
  model.expectNewEpoch("compacted");
  const outcome = await agent.send(CHAT, "the question").finished;
  expect(outcome).toMatchObject({ reason: "done", text: "done" });
  expect(ofType(await records(), "history.compacted").filter(({ rows }) => rows > 0)).toHaveLength(1);
  const last = turns(model.requests).at(-1);
  expect([occurrences(last, "the question"), last?.toolResults.length]).toEqual([1, 1]);
  expect((last?.raw.length ?? 0) < (turns(model.requests).at(-2)?.raw.length ?? 0)).toBe(true);
});

test("R149 long results in a small window are compacted between rounds, before the provider refuses", async (t) => {
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("read", "read", (input) => `${JSON.stringify(input["n"])} ${"lorem ipsum ".repeat(400)}`)],
    settings: { contextWindow: 8000, maxTokens: 500 },
  });
  model.expectNewEpoch("compacted");
  model.route((request) => request.toolNames.length === 0, says("They read on."));
  // A model of 8,000 tokens refuses what does not fit; four characters are about one.
  const tooLong = (request: RecordedRequest): boolean =>
    request.messages
      .flatMap(({ parts }) => parts)
      .reduce((sum, part) => sum + ("text" in part ? part.text.length : 0), 0) /
      4 >
    7500;
  const answers = [...[1, 2, 3, 4, 5].map((n) => callsTool("read", { n })), says("all read")];
  model.replies(
    ...answers.map(
      (answer) => (request: RecordedRequest) =>
        tooLong(request)
          ? fails(400, { error: { message: "maximum context length exceeded", code: "context_length_exceeded" } })
          : answer,
    ),
  );
  expect(await agent.send(CHAT, "read it all").finished).toMatchObject({ reason: "done", text: "all read" });
  expect(ofType(await records(), "model.failed")).toEqual([]);
  expect(turns(model.requests).map((request) => occurrences(request, "read it all"))).toEqual(
    Array.from({ length: 6 }, () => 1),
  );
  expect(turns(model.requests).at(-1)?.toolResults.at(-1)?.text).toContain("5 lorem");
});

for (const [length, cut] of [
  [500, false],
  [501, true],
] as const)
  test(`R46 R406 a result of ${length} characters is ${cut ? "cut" : "kept"} when a new epoch opens`, async (t) => {
    const text = "r".repeat(length);
    const { agent, model } = await startAgent(t, {
      tools: [tool("read", "read", () => text)],
      settings: { memoryWindow: 6, memoryKeep: 4 },
    });
    model.replies(says("zero"), callsTool("read"), says("one"), says("two"));
    model.route((request) => request.toolNames.length === 0, says("Nothing yet."));
    await agent.send(CHAT, "zeroth").finished;
    await agent.send(CHAT, "first").finished;
    model.expectNewEpoch("compacted");
    await agent.send(CHAT, "second").finished;
    const [, , same, next] = turns(model.requests);
    expect(same?.toolResults.map((result) => result.text)).toEqual([text]);
    expect(next?.toolResults.map((result) => result.text === text)).toEqual([!cut]);
    expect(next?.toolResults.every((result) => result.text.startsWith("r".repeat(500)))).toBe(true);
  });

test("R156 R161 CX5 a single turn with more rows than the window is consolidated once, down to its last round", async (t) => {
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("note")],
    settings: { memoryWindow: 8, memoryKeep: 5 },
  });
  model.route((request) => request.toolNames.length === 0, ...Array.from({ length: 5 }, () => says("They noted.")));
  model.replies(...[1, 2, 3, 4].map((n) => callsTool("note", { n })), says("noted all"), says("second"), says("third"));
  await agent.send(CHAT, "note everything").finished;
  model.expectNewEpoch("compacted");
  expect(await agent.send(CHAT, "and now?").finished).toMatchObject({ text: "second" });
  expect(await agent.send(CHAT, "and then?").finished).toMatchObject({ text: "third" });
  expect(summaries(model.requests)).toHaveLength(1);
  expect(ofType(await records(), "history.compacted").map(({ rows }) => rows)).toEqual([9]);
  expect(turns(model.requests).at(-1)?.texts("assistant")).toEqual(["noted all", "second"]);
});

test("R142 ME4 after every cut the history begins with a user message, and no result stands without its call", async (t) => {
  const settings = { memoryWindow: 8, memoryKeep: 5, contextWindow: 8000, maxTokens: 500 };
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("note", "read", (input) => `noted ${JSON.stringify(input["n"])} ${"lorem ipsum ".repeat(150)}`)],
    settings,
  });
  model.route((request) => request.toolNames.length === 0, ...Array.from({ length: 40 }, () => says("They noted.")));
  // Chains of calls of all lengths, so that rows and tokens are cut at every kind of place.
  for (let cut = 0; cut < 40; cut++) model.expectNewEpoch("compacted");
  for (const rounds of [0, 1, 3, 6, 2, 5, 0, 4]) {
    model.replies(...Array.from({ length: rounds }, (_, n) => callsTool("note", { n })), says("done"));
    expect(await agent.send(CHAT, `question with ${rounds} rounds`).finished).toMatchObject({ text: "done" });
  }
  expect(ofType(await records(), "history.compacted").length).toBeGreaterThan(2);
  for (const request of turns(model.requests)) {
    const [system, first] = request.messages;
    expect([system?.role, first?.role]).toEqual(["system", "user"]);
    const calls = request.toolCalls.map(({ callId }) => callId);
    expect(request.toolResults.filter(({ callId }) => !calls.includes(callId))).toEqual([]);
  }
});

test("R179 an image stays in every request of its epoch and is a placeholder in the next", async (t) => {
  const { agent, model } = await startAgent(t, {
    tools: [tool("note")],
    settings: { memoryWindow: 8, memoryKeep: 6 },
  });
  model.route((request) => request.toolNames.length === 0, says("They greeted."));
  model.replies(says("hello"), callsTool("note"), says("a dot"), says("still"), says("a dot, I said"));
  const blob = await agent.blobs.put(PNG);
  await agent.send(CHAT, "hi").finished;
  await agent.send(CHAT, [
    { type: "media", mediaType: "image/png", blob, name: "dot.png" },
    { type: "text", text: "what is it?" },
  ]).finished;
  await agent.send(CHAT, "sure?").finished;
  model.expectNewEpoch("compacted");
  await agent.send(CHAT, "really?").finished;
  expect(
    turns(model.requests).map((request) => [
      request.images.map(({ data }) => data),
      occurrences(request, "[image: dot.png]"),
      occurrences(request, "what is it?"),
    ]),
  ).toEqual([
    [[], 0, 0],
    [[PNG.toString("base64")], 0, 1],
    [[PNG.toString("base64")], 0, 1],
    [[PNG.toString("base64")], 0, 1],
    [[], 1, 1],
  ]);
});

test("PR20 an image that the provider rejects is a line of text from then on: the request is repeated once, and later turns go on", async (t) => {
  const { agent, model, records } = await startAgent(t, { tools: [tool("note")] });
  const rejected = fails(400, { error: { message: "Could not process image", type: "invalid_request_error" } });
  model.replies(says("hello"), rejected, says("I could not see it"), says("still here"));
  await agent.send(CHAT, "hi").finished;
  const blob = await agent.blobs.put(PNG);
  model.expectNewEpoch("compacted");
  const outcome = await agent.send(CHAT, [
    { type: "media", mediaType: "image/png", blob, name: "dot.png" },
    { type: "text", text: "what is it?" },
  ]).finished;
  expect(outcome).toMatchObject({ reason: "done", text: "I could not see it" });
  await agent.send(CHAT, "and now?").finished;
  expect(
    model.requests.map((request) => [
      request.images.length,
      occurrences(request, "[image: dot.png, not delivered: the model's provider rejected it]"),
      occurrences(request, "what is it?"),
    ]),
  ).toEqual([
    [0, 0, 0],
    [1, 0, 1],
    [0, 1, 1],
    [0, 1, 1],
  ]);
  expect(ofType(await records(), "prefix.frozen").map(({ because }) => because)).toEqual(["opened", "compacted"]);
});

test("PR20 a provider that rejects what holds no image any more ends the turn visibly, and the next one is answered", async (t) => {
  const { agent, model } = await startAgent(t, { tools: [tool("note")] });
  const rejected = fails(400, { error: { message: "Could not process image", type: "invalid_request_error" } });
  model.replies(says("hello"), rejected, rejected, says("better"));
  await agent.send(CHAT, "hi").finished;
  const blob = await agent.blobs.put(PNG);
  model.expectNewEpoch("compacted");
  const outcome = await agent.send(CHAT, [
    { type: "media", mediaType: "image/png", blob, name: "dot.png" },
    { type: "text", text: "what is it?" },
  ]).finished;
  expect(outcome.reason).toBe("failed");
  expect((await agent.send(CHAT, "and now?").finished).text).toBe("better");
});

test("R323 a session with a model of its own is measured against the window of that model", async (t) => {
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("note")],
    settings: { contextWindow: 1_000_000, maxTokens: 500, memoryWindow: 10_000 },
    contextWindowFor: (ref) => (ref.model === "small" ? 3000 : 1_000_000),
  });
  await imported(agent, 100, "many words ".repeat(15));
  const session = await agent.sessions.find(CHAT);
  const chosen = { provider: "mock", model: "small" };
  await session!.commit({ type: "session.configured", model: chosen, reset: false });
  model.route((request) => request.toolNames.length === 0, says("They counted."));
  await agent.send(CHAT, "and now?").finished;
  expect(ofType(await records(), "history.compacted").filter(({ rows }) => rows > 0)).toHaveLength(1);
  expect(turns(model.requests).map((request) => occurrences(request, "row 1."))).toEqual([0]);
});

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Rows `row 0`, `row 1` … of a person and the assistant in turn. */
async function imported(
  agent: Awaited<ReturnType<typeof startAgent>>["agent"],
  rows: number,
  words = "",
): Promise<void> {
  const session = await agent.sessions.open(CHAT, { channel: "test", chat: "1" });
  const messages = Array.from({ length: rows }, (_, n): Message => {
    const parts = [{ type: "text", text: `row ${n}.${words}` } as const];
    return n % 2 === 0
      ? { role: "user", id: `m-${n}`, at: n, from: { id: "ann", kind: "person" }, parts }
      : {
          role: "assistant",
          at: n,
          model: { provider: "mock", model: "mock-model" },
          parts,
          finish: "stop",
          usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        };
  });
  await session.commit({ type: "history.imported", messages, rows, consolidated: 0 });
}
