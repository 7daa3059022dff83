import { expect, test } from "vitest";
import type { JournalRecord } from "../../src/contract/record.ts";
import { callsTool, fails, says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { CHAT, occurrences, ofType, startAgent, tool } from "../support/agent.ts";
import type { Started, StartOptions } from "../support/agent.ts";
import {
  command,
  consolidations,
  entries,
  importRows,
  isConsolidation,
  memoryFile,
  rowsIn,
  saves,
  turnRequests,
} from "../support/memory-agent.ts";

const NOTE = { tools: [tool("note")], keepsMemory: true };
const start = (t: Parameters<typeof startAgent>[0], settings: StartOptions["settings"] = {}): Promise<Started> =>
  startAgent(t, { ...NOTE, settings });

test("R150 R416 in the background the answer is waited for by nobody, and the new epoch opens at the next turn", async (t) => {
  const started = await start(t, { memoryWindow: 20, memoryKeep: 4 });
  const { agent, model } = started;
  await importRows(started, 20);
  const held = stalls({ rest: saves("They counted to twenty.", "- counts") });
  model.route(isConsolidation, held);
  model.replies(callsTool("note"), says("one"), says("two"), says("three"));
  expect((await agent.send(CHAT, "first").finished).text).toBe("one"); // the consolidation is not answered yet
  expect((await agent.send(CHAT, "second").finished).text).toBe("two");
  expect(memoryFile(started, "MEMORY.md")).toBe("");
  held.release();
  await agent.idle();
  expect(memoryFile(started, "MEMORY.md")).toBe("- counts\n");
  model.expectNewEpoch("compacted");
  expect((await agent.send(CHAT, "third").finished).text).toBe("three");
  await agent.idle();
  expect(consolidations(model.requests)).toHaveLength(1);
  const [first, again, second, third] = turnRequests(model.requests);
  const systems = [first, again, second, third].map((request) => request?.texts("system").join());
  expect([systems[1], systems[2]]).toEqual([systems[0], systems[0]]);
  expect(systems[3]).toContain("- counts");
  expect([rowsIn(second).length, occurrences(third, "They counted to twenty.")]).toEqual([20, 1]);
  expect(rowsIn(third)).toEqual([16, 17, 18, 19]);
});

test("R150 R163 with before-turn the consolidation comes first and the turn begins with its summary", async (t) => {
  const started = await start(t, { memoryWindow: 20, memoryKeep: 4, memoryTiming: "before-turn" });
  const { agent, model } = started;
  await importRows(started, 20);
  model.route(isConsolidation, saves("They counted to twenty.", "- counts"));
  await agent.send(CHAT, "first").finished;
  expect(model.requests.map(isConsolidation)).toEqual([true, false]);
  expect(model.requests[1]?.texts("system").join()).toContain("- counts");
  expect(occurrences(model.requests[1], "They counted to twenty.")).toBe(1);
  expect(entries(started)).toEqual(["They counted to twenty."]);
});

for (const memoryTiming of ["background", "before-turn"] as const)
  for (const [rows, settings, count] of [
    [99, {}, 0],
    [100, {}, 1],
    [50, { memoryWindow: 50, memoryTrigger: "exceed" }, 0],
    [51, { memoryWindow: 50, memoryTrigger: "exceed" }, 1],
  ] as const)
    test(`R148 R409 ME12 ${memoryTiming}, ${JSON.stringify(settings)}: ${rows} rows and one new message make ${count} requests`, async (t) => {
      const started = await start(t, { ...settings, memoryTiming });
      await importRows(started, rows);
      await started.agent.send(CHAT, "one more").finished;
      await started.agent.idle();
      expect(consolidations(started.model.requests)).toHaveLength(count);
    });

test("R149 ME5 long results in a small window are consolidated once, to at most the token target", async (t) => {
  const started = await startAgent(t, {
    tools: [tool("read", "read", (input) => `${JSON.stringify(input["n"])} ${"lorem ipsum ".repeat(300)}`)],
    keepsMemory: true,
    settings: { contextWindow: 12_000, maxTokens: 500 },
  });
  const { agent, model } = started;
  await importRows(started, 30, 0, " dolor sit amet".repeat(60));
  model.route(isConsolidation, saves("They read on.", "- reads"));
  model.replies(callsTool("read", { n: 1 }), callsTool("read", { n: 2 }), says("all read"));
  model.expectNewEpoch("compacted");
  expect(await agent.send(CHAT, "read it all").finished).toMatchObject({ reason: "done", text: "all read" });
  expect(consolidations(model.requests)).toHaveLength(1);
  const records = await started.records();
  expect([ofType(records, "model.failed"), cuts(records).length]).toEqual([[], 1]);
  const after = records.indexOf(cuts(records)[0]!);
  const [next] = ofType(records.slice(after), "model.requested");
  expect(next?.estimated).toBeLessThanOrEqual((12_000 - 500) * 0.5);
});

test("ME5 ME13 few rows that are long leave too, so that no second consolidation follows", async (t) => {
  const started = await start(t, {
    memoryWindow: 20,
    memoryKeep: 10,
    memoryTiming: "before-turn",
    contextWindow: 14_000,
    maxTokens: 500,
  });
  await importRows(started, 20, 0, " dolor sit amet".repeat(130));
  started.model.route(isConsolidation, saves("They wrote much.", "- writes"), says("never"));
  await started.agent.send(CHAT, "and now?").finished;
  expect(consolidations(started.model.requests)).toHaveLength(1);
  const [request] = ofType(await started.records(), "model.requested");
  expect(request?.estimated).toBeLessThanOrEqual((14_000 - 500) * 0.5);
});

test("R151 CX10 ME11 ME15 the request asks for outcomes instead of tool talk, and holds MEMORY.md and the rows up to the cut with their times, results cut, nothing else", async (t) => {
  const started = await startAgent(t, {
    tools: [tool("read", "read", () => `begin ${"x".repeat(2000)} end`)],
    keepsMemory: true,
    settings: { memoryWindow: 6, memoryKeep: 2, memoryTiming: "before-turn" },
  });
  const { agent, model } = started;
  model.replies(callsTool("read", { n: 7 }), says("It begins."), says("Hello."));
  await agent.send(CHAT, "read it").finished;
  await agent.send(CHAT, "hello").finished;
  model.route(isConsolidation, saves("They read.", "- reads\n- tea"));
  model.expectNewEpoch("compacted");
  await agent.send(CHAT, "and now?").finished;
  const [request] = consolidations(model.requests);
  expect(request?.toolNames).toEqual(["save_memory"]);
  expect(request?.body["tool_choice"]).toEqual({ type: "function", function: { name: "save_memory" } });
  expect(request?.system).toContain(
    "record outcomes rather than tool talk: what was decided, learned, promised or finished",
  );
  const text = request?.texts("user").join("\n") ?? "";
  expect(text.split("\n").map((line) => line.slice(0, 60))).toEqual([
    "# MEMORY.md",
    "(empty)",
    "# Conversation",
    "[2026-03-01 12:00] User: read it",
    '[2026-03-01 12:00] Assistant calls read {"n":7}',
    `[2026-03-01 12:00] Result of read: begin ${"x".repeat(19)}`,
    "[2026-03-01 12:00] Assistant: It begins.",
  ]);
  expect(text).not.toContain("end");
});

test("R46 what a consolidation beside the lane leaves is replayed in the cut form, the newest round too", async (t) => {
  const started = await startAgent(t, {
    tools: [tool("read", "read", () => `begin ${"x".repeat(2000)} end`)],
    keepsMemory: true,
    settings: { memoryWindow: 6, memoryKeep: 4 },
  });
  const { agent, model } = started;
  model.route(isConsolidation, saves("They said hello.", "- polite"));
  model.replies(
    says("Hello."),
    callsTool("read"),
    says("It begins."),
    callsTool("read"),
    says("The same."),
    says("Well."),
  );
  for (const text of ["hello", "read it", "again"]) await agent.send(CHAT, text).finished;
  await agent.idle();
  model.expectNewEpoch("compacted");
  await agent.send(CHAT, "and now?").finished;
  const ends = turnRequests(model.requests).map(({ toolResults }) => toolResults.map(({ text }) => text.slice(-27)));
  const [whole, cut] = [`${"x".repeat(23)} end`, "x… [2010 characters in all]"];
  expect(ends.slice(-3)).toEqual([[whole], [whole, whole], [cut, cut]]);
});

for (const [memoryWindow, memoryKeep, kept] of [
  [6, "half", 3],
  [50, "half", 10],
  [8, "half", 4],
  [20, "window", 18], // 20 rows would be due again
  [20, 7, 7],
] as const)
  test(`R160 of a window of ${memoryWindow} with keep ${memoryKeep} at most ${kept} rows stay, from a user row on`, async (t) => {
    const started = await start(t, { memoryWindow, memoryKeep, memoryTiming: "before-turn" });
    await importRows(started, 60);
    started.model.route(isConsolidation, saves("They counted.", "- counts"));
    await started.agent.send(CHAT, "and now?").finished;
    const [request] = turnRequests(started.model.requests);
    // Rows of a person are the even ones: a cut at an odd number moves to the one before.
    const first = 60 - kept - ((60 - kept) % 2);
    expect(rowsIn(request)).toEqual(Array.from({ length: 60 - first }, (_, index) => first + index));
  });

for (const memoryWindow of [10, 50])
  test(`R159 R162 R397 200 messages, window ${memoryWindow}: each row is summarized once or kept, and the pointer never enters what is kept`, async (t) => {
    const started = await start(t, { memoryWindow, memoryKeep: "half" });
    const { agent, model } = started;
    // Answers carry no `row N.`, and summaries stay out of the rows that are counted.
    model.route(isConsolidation, ...Array.from({ length: 60 }, () => saves("They counted.", "- counts")));
    let said = -1;
    model.route(
      (request) => !isConsolidation(request),
      ...Array.from({ length: 100 }, (_, n) => says(`row ${2 * n + 1}.`)),
    );
    for (let n = 0; n < 100; n++) model.expectNewEpoch("compacted");
    for (said = 0; said < 200; said += 2) {
      await agent.send(CHAT, `row ${said}.`).finished;
      await agent.idle();
      const { state } = (await agent.sessions.find(CHAT))!;
      const live = state.messages.filter(({ role }) => role !== "notice").length;
      expect(state.rows - state.consolidated).toBe(live);
    }
    const { state } = (await agent.sessions.find(CHAT))!;
    const pending = state.answered?.gone ?? 0;
    const kept = state.messages
      .slice(pending)
      .flatMap((message) => [...JSON.stringify(message).matchAll(/row (\d+)\./g)])
      .map(([, number]) => Number(number));
    const summarized = consolidations(model.requests).flatMap(rowsIn);
    expect([...summarized, ...kept]).toEqual(Array.from({ length: 200 }, (_, index) => index));
    expect(kept.length).toBeGreaterThan(1);
  });

test("R164 a prompt that is refused for its length is consolidated in mid-turn, once, and the turn completes", async (t) => {
  const started = await start(t);
  const { agent, model } = started;
  await importRows(started, 40);
  model.route(isConsolidation, saves("They counted.", "- counts"));
  model.replies(
    callsTool("note"),
    fails(400, { error: { message: "maximum context length exceeded", code: "context_length_exceeded" } }),
    says("done"),
  );
  model.expectNewEpoch("compacted");
  expect(await agent.send(CHAT, "the question").finished).toMatchObject({ reason: "done", text: "done" });
  await agent.idle();
  expect(consolidations(model.requests)).toHaveLength(1);
  const last = turnRequests(model.requests).at(-1);
  expect([occurrences(last, "the question"), last?.toolResults.length]).toEqual([1, 1]);
  expect(entries(started)).toEqual(["They counted."]);
});

test("R150 R397 ME1 a consolidation in mid-turn takes over from the one beside the lane: no row is summarized twice", async (t) => {
  const started = await start(t, { memoryWindow: 20, memoryKeep: 4 });
  const { agent, model } = started;
  await importRows(started, 40);
  const written = saves("They counted to 36.", "- counts");
  model.route(isConsolidation, written, saves("Then a little more.", "- counts"));
  const refusal = fails(400, { error: { message: "maximum context length", code: "context_length_exceeded" } });
  let arrived = 0;
  // The turn's second request is refused only when the answer beside the lane is in the files.
  model.on("request", async (request) => {
    if (!isConsolidation(request) && ++arrived === 2) await waitFor(() => entries(started).length === 1);
  });
  model.replies(callsTool("note"), refusal, says("done"));
  model.expectNewEpoch("compacted");
  expect(await agent.send(CHAT, "the question").finished).toMatchObject({ text: "done" });
  await agent.idle();
  const rows = consolidations(model.requests).flatMap(rowsIn);
  expect(rows.toSorted((a, b) => a - b)).toEqual([...new Set(rows)].toSorted((a, b) => a - b));
  expect(new Set([...rows, ...rowsIn(turnRequests(model.requests).at(-1))]).size).toBe(40);
  expect(new Set(entries(started)).size).toBe(entries(started).length);
});

test("R165 the request goes to the session's model, or to memory.model", async (t) => {
  const started = await start(t, { memoryWindow: 20, memoryTiming: "before-turn" });
  await importRows(started, 20);
  await started.agent.send(CHAT, "and now?").finished;
  const other = await started.restart({
    settings: {
      memoryWindow: 8,
      memoryTiming: "before-turn",
      memoryModel: { provider: "mock", model: "small-model" },
    },
  });
  started.model.expectNewEpoch("compacted");
  await other.agent.send(CHAT, "and then?").finished;
  expect(consolidations(started.model.requests).map(({ body }) => body["model"])).toEqual([
    "mock-model",
    "small-model",
  ]);
});

test("ME10 a MEMORY.md that is too long is written whole, and the next consolidation is asked to shorten it", async (t) => {
  const started = await start(t, { memoryWindow: 20, memoryTiming: "before-turn", memoryMaxChars: 600 });
  const { agent, model } = started;
  await importRows(started, 20);
  const long = Array.from({ length: 100 }, (_, n) => `- fact ${n}`).join("\n");
  model.route(isConsolidation, saves("They counted.", long), saves("Shorter.", "- fact 1"));
  await agent.send(CHAT, "and now?").finished;
  expect(memoryFile(started, "MEMORY.md")).toBe(`${long}\n`);
  await command(started, "/new");
  await agent.idle();
  expect(consolidations(model.requests).map((request) => request.texts("system").join().includes("under 600"))).toEqual(
    [false, true],
  );
});

/** Compactions that took rows away. */
function cuts(records: readonly JournalRecord[]): readonly JournalRecord[] {
  return ofType(records, "history.compacted").filter(({ rows }) => rows > 0);
}

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

test("R388 R165 what a consolidation costs is charged: the next turn finds the budget used up", async (t) => {
  const budgets = [{ scope: "day", tokens: 60_000, action: "stop" } as const];
  const started = await start(t, { memoryWindow: 20, memoryKeep: 4, memoryTiming: "before-turn", budgets });
  await importRows(started, 20);
  const saved = { history: "They counted to twenty.", memory: "- counts" };
  started.model.route(isConsolidation, callsTool("save_memory", saved, { usage: { input: 58_000, output: 2_000 } }));
  expect((await started.agent.send(CHAT, "first").finished).reason).toBe("budget");
  expect(turnRequests(started.model.requests)).toEqual([]);
});
