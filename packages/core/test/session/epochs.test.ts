// A new epoch says which rows of the context it keeps, and does not write them again.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test, type TestContext } from "vitest";
import { project } from "../../src/context/project.ts";
import type { SessionId } from "../../src/contract/base.ts";
import type { Message } from "../../src/contract/message.ts";
import type { JournalRecord } from "../../src/contract/record.ts";
import type { SessionState } from "../../src/contract/session.ts";
import { explain } from "../../src/explain.ts";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { NO_USAGE } from "../../src/lib/usage.ts";
import { DEFAULT_SETTINGS } from "../../src/loop/settings.ts";
import { emptyState, reduce } from "../../src/session/reduce.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { callsTool, fakeClock, says, type MockModel } from "../../src/testing.ts";
import { CHAT, occurrences, ofType, startAgent, tool, type Started } from "../support/agent.ts";
import { importRows } from "../support/memory-agent.ts";
import { recordHistory } from "../support/random-records.ts";

const ORIGIN = { channel: "test", chat: "1" } as const;
const LONG = "茶 tea ".repeat(300);
const open = ({ agent }: Started) => agent.sessions.open(CHAT, ORIGIN);
const journalOf = ({ home }: Started): string =>
  readFileSync(
    join(home, "sessions", readdirSync(join(home, "sessions")).find((name) => name.endsWith(".journal")) ?? ""),
    "utf8",
  );

async function modelOf(started: Started, name: string | null): Promise<void> {
  const model = name === null ? null : { provider: "mock", model: name };
  await (await open(started)).commit({ type: "session.configured", model, reset: false });
  started.model.expectNewEpoch("model");
}

/** What the model is sent, but for the words before the first row. */
function sent({ requests }: MockModel, at: number): readonly unknown[] {
  return requests.at(at)?.messages.filter(({ role }) => role !== "system") ?? [];
}

test.for([100, 2000])(
  "after a change of model the journal is as much longer with %s rows before it as without, and the model is sent the same bytes",
  async (rows, t) => {
    const started = await startAgent(t, { settings: { memoryWindow: 10_000 } });
    await importRows(started, rows);
    started.model.replies(says("one"), says("two"));
    await started.agent.send(CHAT, "first").finished;
    const before = journalOf(started).length;
    await modelOf(started, "other");
    await started.agent.send(CHAT, "second").finished;
    expect(journalOf(started).length - before).toBeLessThan(12_000);
    expect(sent(started.model, 1).slice(0, rows + 2)).toEqual([
      ...sent(started.model, 0),
      expect.objectContaining({ role: "assistant" }),
    ]);
    const { state } = await open(started);
    const again = await started.restart();
    expect((await open(again)).state).toStrictEqual(state);
  },
);

test("what was cut says how long it was in every later epoch, and is the same object", async (t) => {
  const settings = { toolResultChars: 500 };
  const started = await startAgent(t, { tools: [tool("look", "read", () => LONG)], settings });
  started.model.replies(callsTool("look"), says("one"), says("two"), says("three"));
  await started.agent.send(CHAT, "look there").finished;
  const said = `… [${LONG.length} characters in all]`;
  const results: (Message | undefined)[] = [];
  for (const name of ["other", null]) {
    await modelOf(started, name);
    await started.agent.send(CHAT, "and now?").finished;
    expect(started.model.requests.at(-1)?.toolResults.map(({ text }) => text.endsWith(said))).toEqual([true]);
    results.push((await open(started)).state.messages.find(({ role }) => role === "tool"));
  }
  expect(results[1]).toBe(results[0]);
});

test("a fork, a replay and an explanation have the rows that were kept, over epochs and compactions", async (t) => {
  const started = await startAgent(t, {
    tools: [tool("look", "read", () => LONG)],
    settings: { memoryWindow: 12, memoryKeep: 4 },
  });
  const { agent, model, home } = started;
  model.route((request) => request.toolNames.length === 0, says("They looked."));
  model.replies(...Array.from({ length: 6 }, (_, at) => [callsTool("look"), says(`answer ${at}`)]).flat());
  for (let turn = 0; turn < 6; turn++) {
    if (turn === 2) await modelOf(started, "other");
    if (turn > 2) model.expectNewEpoch("compacted");
    await agent.send(CHAT, `question ${turn}`).finished;
  }
  const { state } = await open(started);
  expect(ofType(await started.records(), "history.compacted").filter(({ rows }) => rows > 0)).not.toEqual([]);
  const fork = await agent.sessions.fork(CHAT, "test:2");
  expect(project(fork.state)).toEqual(project(state));
  let last: SessionState | undefined;
  for await (const { promptHashOk, state: replayed } of explain(
    openJournalDirectory(join(home, "sessions")).read(state.id),
    DEFAULT_SETTINGS,
  )) {
    expect(promptHashOk ?? true).toBe(true);
    last = replayed;
  }
  expect(last && project(last)).toEqual(project(state));
});

async function whileSummedUp(t: TestContext, meanwhile: (started: Started) => Promise<unknown>): Promise<Started> {
  const started = await startAgent(t, { settings: { memoryWindow: 20, memoryKeep: 4 } });
  await importRows(started, 20);
  let asked = 0;
  started.model.on("request", async () => {
    if (asked++ === 0) await meanwhile(started);
  });
  started.model.replies(says("They counted."), says("yes"), says("yes"));
  await started.agent.send(CHAT, "and now?").finished;
  return started;
}

test("what is said in the chat while its summary is written stays", async (t) => {
  const { model } = await whileSummedUp(t, async (started) => {
    const from = { id: "cron:1", kind: "schedule" } as const;
    await (await open(started)).commit({ type: "message.posted", reply: "p-1", from, text: "stand up" });
  });
  const [, request] = model.requests;
  expect(["They counted.", "row 15.", "row 19.", "stand up"].map((text) => occurrences(request, text))).toEqual([
    1, 0, 1, 1,
  ]);
});

test("a chat that is emptied at the end of its compaction stays empty, and the summary is paid", async (t) => {
  // Too late to be stopped: the answer is there, and the new prefix is being read.
  const { model, records } = await whileSummedUp(t, async (begun) => {
    await (await open(begun)).commit({ type: "session.cleared", by: { id: "ann", kind: "person" } });
  });
  expect(["They counted.", "row 19."].map((text) => occurrences(model.requests.at(-1), text))).toEqual([0, 0]);
  expect(ofType(await records(), "usage.counted")).toMatchObject([{ purpose: "compaction" }]);
});

test("a row that is named is the row that would have been written, over 500 histories", () => {
  const kept = fc.record({ from: fc.nat(6), length: fc.nat(6), chars: fc.constantFrom(1, 4) });
  const cut = (row: Message, chars: number): Message =>
    row.role === "tool"
      ? {
          ...row,
          parts: row.parts.map((part) =>
            part.type === "text" && part.text.length > chars
              ? { type: "text", text: `${part.text.slice(0, chars)}… [${part.text.length} characters in all]` }
              : part,
          ),
        }
      : row;
  const epoch = (rows: Extract<JournalRecord, { type: "history.compacted" }>["kept"]): JournalRecord => ({
    type: "history.compacted",
    rows: 0,
    kept: rows,
    usage: NO_USAGE,
    fallback: false,
  });
  fc.assert(
    fc.property(recordHistory, kept, (history, { from, length, chars }) => {
      const state = history
        .flat()
        .reduce<SessionState>((next, one) => reduce(next, one, 1), emptyState("s" as SessionId));
      const rows = state.messages.slice(from, from + length);
      const isCut = state.messages.some(({ role }) => role === "tool") && JSON.stringify(rows).includes("in all]");
      fc.pre(!isCut); // another test tells of what was cut before
      const named = reduce(state, epoch([{ places: [from, from + length], chars }, { places: [from + length] }]), 1);
      const written = reduce(
        state,
        epoch([...rows.map((row) => cut(row, chars)), ...state.messages.slice(from + length)]),
        1,
      );
      expect(named).toStrictEqual(written);
    }),
    { numRuns: 500 },
  );
});

test("R428 a margay that knows no named rows refuses the journal: its version is raised", async (t) => {
  const started = await startAgent(t, {});
  await started.agent.send(CHAT, "hello").finished;
  const [opened] = ofType(await started.records(), "session.opened");
  expect(opened?.version).toBe(4);
  await using store = openSessions({
    journals: openJournalDirectory(join(started.home, "sessions")),
    clock: fakeClock(),
  });
  expect(await store.list()).toMatchObject([{ key: CHAT }]);
});
