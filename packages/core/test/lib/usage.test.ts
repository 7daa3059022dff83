import { expect, test } from "vitest";
import type { Seq, SessionId } from "../../src/contract/base.ts";
import type { Commit } from "../../src/contract/record.ts";
import { addUsage, NO_USAGE } from "../../src/lib/usage.ts";
import { spendingOf } from "../../src/session/spending.ts";
import { emptyState, fold } from "../../src/session/reduce.ts";

test("every kind of request counts, a failed one too", async () => {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const model = { provider: "p", model: "m" };
  const turn = "t1" as never;
  const error = { code: "provider.overloaded", message: "", retryable: true };
  const message = { role: "assistant", at: 0, model, parts: [], finish: "stop", usage } as const;
  const records: Commit["records"] = [
    { type: "session.opened", version: 1, key: "test:1", origin: { channel: "test", chat: "1" } },
    { type: "model.failed", turn, error, usage },
    { type: "model.failed", turn, error },
    { type: "model.responded", turn, message },
    { type: "usage.counted", purpose: "title", model, usage },
    { type: "history.compacted", rows: 1, kept: [], usage, fallback: false },
    { type: "history.compacted", rows: 1, kept: [], usage: NO_USAGE, fallback: false },
    { type: "turn.ended", turn, reason: "done", text: "", durationMs: 1, usage },
  ];
  let sum = NO_USAGE;
  const requests: (string | undefined)[] = [];
  for await (const spent of spendingOf([{ seq: 1 as Seq, at: 5, records }])) {
    sum = addUsage(sum, spent.usage);
    requests.push(spent.model?.model);
  }
  expect(sum).toMatchObject({ input: 4, output: 4 });
  expect(requests).toEqual([undefined, "m", "m", undefined]);
  expect(fold(emptyState("s" as SessionId), { seq: 1 as Seq, at: 5, records }).usage).toEqual(sum); // `/usage`
});
