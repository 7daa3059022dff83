/** What was spent: one rule for `/usage`, budgets, `margay usage` and `margay status`. */
import type { Millis } from "../contract/base.ts";
import type { ModelRef, Usage } from "../contract/message.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Sum of two; the cost stays absent only when both are unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cost = a.costUsd === undefined && b.costUsd === undefined ? undefined : (a.costUsd ?? 0) + (b.costUsd ?? 0);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...(cost !== undefined && { costUsd: cost }),
    ...((a.estimated === true || b.estimated === true) && { estimated: true }),
  };
}

/** What the request behind a record cost; undefined when there was none. Whatever else says its `usage` is counted. */
export function usageOf(record: JournalRecord): Usage | undefined {
  if (record.type === "model.responded") return record.message.usage;
  if (record.type === "turn.ended" || !("usage" in record)) return undefined; // a turn says the sum of its requests
  // After a consolidation, which was counted when it answered, or without any request.
  if (record.type === "history.compacted" && record.usage.input + record.usage.output === 0) return undefined;
  return record.usage;
}

/** A request that was paid for. */
export interface SpentRequest {
  readonly at: Millis;
  /** The channel of its session. */
  readonly source: string;
  /** Absent where the record does not say it. */
  readonly model?: ModelRef;
  readonly usage: Usage;
}

/** Every request of one session, from its commits. What a fork copied was spent by the original. */
export async function* spendingOf(commits: AsyncIterable<Commit> | Iterable<Commit>): AsyncGenerator<SpentRequest> {
  let source = "";
  let copied = 0;
  for await (const { seq, at, records } of commits)
    for (const record of records) {
      if (record.type === "session.opened") [source, copied] = [record.origin.channel, record.forked?.commits ?? 0];
      const usage = seq > copied ? usageOf(record) : undefined;
      if (usage === undefined) continue;
      const model =
        record.type === "model.responded"
          ? record.message.model
          : record.type === "usage.counted"
            ? record.model
            : undefined;
      yield { at, source, ...(model !== undefined && { model }), usage };
    }
}
