// Who pays in a group: who opened the turn, and for what comes after it nobody but the home.
import { expect, test } from "vitest";
import type { Seq, TurnId } from "../../src/contract/base.ts";
import type { Commit, JournalRecord } from "../../src/contract/record.ts";
import { spendingOf } from "../../src/session/spending.ts";

const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 };
const model = { provider: "mock", model: "m" };
const origin = { channel: "telegram", chat: "-100" };

function turn(id: string, by: string, speaker: string): readonly JournalRecord[] {
  const from = { id: by, kind: "person" } as const;
  const message = { role: "user", id: `m-${id}`, at: 0, from, parts: [{ type: "text", text: "hi" }] } as const;
  const name = id as TurnId; // as a session would mint it
  return [
    { type: "message.received", key: id, origin, attended: false, message, speaker },
    { type: "turn.started", turn: name, replyTo: origin, attended: false, message: message.id },
    {
      type: "model.responded",
      turn: name,
      message: { role: "assistant", at: 0, model, parts: [], finish: "stop", usage },
    },
    { type: "turn.ended", turn: name, reason: "done", text: "", durationMs: 1, usage },
    { type: "usage.counted", purpose: "memory", model, usage },
  ];
}

test("PE7 a guest's turn is the guest's to pay, a person's theirs, and what is remembered after it the home's", async () => {
  const records: readonly JournalRecord[] = [
    { type: "session.opened", version: 2, key: "telegram:-100", origin },
    { type: "audience.set", audience: "group:telegram:-100" },
    ...turn("t1", "tom", "guest"),
    ...turn("t2", "eva", "eva"),
    ...turn("t3", "ada", "owner"),
  ];
  const commits: readonly Commit[] = records.map((record, at) => ({ seq: (at + 1) as Seq, at, records: [record] }));
  const spent: unknown[] = [];
  for await (const { purpose, guest, person } of spendingOf(commits)) spent.push([purpose, guest, person]);
  expect(spent).toEqual([
    ["turn", "telegram:-100", undefined],
    ["memory", undefined, undefined],
    ["turn", undefined, "eva"],
    ["memory", undefined, undefined],
    ["turn", undefined, undefined],
    ["memory", undefined, undefined],
  ]);
});
