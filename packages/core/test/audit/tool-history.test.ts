import { expect, test } from "vitest";
import type { CallId } from "../../src/contract/base.ts";
import { collectToolHistory, createToolHistory } from "../../src/facts/tool-history.ts";
import { journal, type Journal } from "./journal.ts";

function calls(
  chat: Journal,
  ...outcomes: readonly (readonly [tool: string, status: "ok" | "error" | "denied", ms: number])[]
): void {
  const message = chat.message("do it");
  const turn = chat.begin();
  chat.request(turn, message);
  const parts = outcomes.map(([tool]) => chat.call(tool, { path: "a" }));
  chat.respond(turn, parts);
  outcomes.forEach(([tool, status, ms], index) =>
    chat.finish(turn, parts[index]!.callId, tool, `result ${index}`, status, ms, status === "denied" ? 0 : 1),
  );
  chat.end(turn, "done");
}

test("R266 a row per call with session, tool, arguments, user message, result, duration, status, attempts, turn and call", async () => {
  const chat = journal("telegram:42");
  calls(chat, ["read_file", "ok", 5], ["exec", "error", 9]);
  const history = createToolHistory();
  for (const commit of chat.commits) history.add(chat.id, commit);
  const [first, second] = history.list({ sessionId: chat.id });
  expect(first).toMatchObject({
    session: chat.id,
    sessionKey: "telegram:42",
    tool: "read_file",
    arguments: { path: "a" },
    userMessage: "do it",
    result: "result 0",
    durationMs: 5,
    status: "ok",
    attempts: 1,
    turn: expect.any(String),
    call: expect.any(String),
  });
  expect(second).toMatchObject({ status: "error", error: "result 1" });
  expect(history.list({ limit: 1 })).toEqual([second]);
});

test("R266 subagents are listed with their parent, at any depth", async () => {
  const parent = journal("telegram:42");
  calls(parent, ["spawn", "ok", 1]);
  const child = journal("subagent:a", [], { parent: { session: parent.id, call: "c1" as CallId } });
  calls(child, ["read_file", "ok", 1]);
  const grandchild = journal("subagent:b", [], { parent: { session: child.id, call: "c2" as CallId } });
  calls(grandchild, ["exec", "ok", 1]);
  const other = journal("web:1");
  calls(other, ["exec", "ok", 1]);
  const history = await collectToolHistory(journals(grandchild, child, parent, other));
  expect(
    history
      .list({ sessionId: parent.id })
      .map((entry) => `${entry.tool} of ${entry.parent ?? "nobody"}`)
      .toSorted(),
  ).toEqual([`exec of ${child.id}`, `read_file of ${parent.id}`, "spawn of nobody"]);
});

test("R267 R407 three ok and one error: total, by tool, session and status, rate 0.75, median and p95", async () => {
  const chat = journal("telegram:42");
  calls(chat, ["read_file", "ok", 10], ["read_file", "ok", 20], ["exec", "ok", 30]);
  calls(chat, ["exec", "error", 40]);
  const history = await collectToolHistory(journals(chat));
  expect(history.stats()).toEqual({
    total: 4,
    byTool: { exec: 2, read_file: 2 },
    bySession: { "telegram:42": 4 },
    byStatus: { ok: 3, error: 1, denied: 0, interrupted: 0 },
    successRate: 0.75,
    medianMs: 25,
    p95Ms: 40,
  });
  expect(history.stats({ tool: "none" })).toMatchObject({ total: 0, successRate: 1, medianMs: 0, p95Ms: 0 });
});

test("R267 calls that never ran count, but not in the durations", async () => {
  const chat = journal("telegram:42");
  calls(chat, ["exec", "denied", 0], ["exec", "ok", 50]);
  expect((await collectToolHistory(journals(chat))).stats()).toMatchObject({
    total: 2,
    successRate: 0.5,
    medianMs: 50,
    p95Ms: 50,
  });
});

async function* journals(
  ...list: readonly Journal[]
): AsyncGenerator<{ readonly session: Journal["id"]; readonly commits: AsyncIterable<Journal["commits"][number]> }> {
  for (const { id, commits } of list)
    yield {
      session: id,
      commits: (async function* () {
        yield* commits;
      })(),
    };
}
