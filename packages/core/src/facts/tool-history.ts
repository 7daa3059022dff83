// Every tool call ever made, with statistics: a fold over journals, never a store of its own.
import type { SessionId } from "../contract/base.ts";
import type { ToolStatus } from "../contract/message.ts";
import type { Commit } from "../contract/record.ts";
import { createFactFold, type CallFact, type FactFold } from "./turn-facts.ts";

/** One call. `error` is the result of a call that did not succeed. */
export interface ToolHistoryEntry extends Omit<CallFact, "kind"> {
  readonly session: SessionId;
  readonly sessionKey: string;
  readonly parent?: SessionId;
  readonly error?: string;
}
export interface ToolHistoryFilter {
  /** This session and the subagents it started, at any depth. */
  readonly sessionId?: SessionId;
  readonly tool?: string;
  readonly status?: ToolStatus;
  /** The newest ones only. Default: all. */
  readonly limit?: number;
}
/** Durations are of calls that ran; `successRate` is ok ÷ total, 1 when there are none. */
export interface ToolStatistics {
  readonly total: number;
  readonly byTool: Readonly<Record<string, number>>;
  readonly bySession: Readonly<Record<string, number>>;
  readonly byStatus: Readonly<Record<ToolStatus, number>>;
  readonly successRate: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}
export interface ToolHistory {
  add(session: SessionId, commit: Commit): void;
  /** Oldest first. */
  list(filter?: ToolHistoryFilter): readonly ToolHistoryEntry[];
  stats(filter?: ToolHistoryFilter): ToolStatistics;
}

export function createToolHistory(): ToolHistory {
  const folds = new Map<SessionId, FactFold>();
  const entries: ToolHistoryEntry[] = [];

  const family = (root: SessionId): ReadonlySet<SessionId> => {
    const members = new Set([root]);
    // Parents are not always folded before their children: repeat until nobody joins.
    for (let size = 0; size !== members.size;) {
      size = members.size;
      for (const [session, fold] of folds)
        if (fold.parent !== undefined && members.has(fold.parent.session)) members.add(session);
    }
    return members;
  };

  const list = (filter: ToolHistoryFilter = {}): readonly ToolHistoryEntry[] => {
    const sessions = filter.sessionId === undefined ? undefined : family(filter.sessionId);
    const found = entries.filter(
      (entry) =>
        (sessions === undefined || sessions.has(entry.session)) &&
        (filter.tool === undefined || entry.tool === filter.tool) &&
        (filter.status === undefined || entry.status === filter.status),
    );
    const sorted = found.sort((a, b) => a.at - b.at);
    return filter.limit === undefined ? sorted : sorted.slice(-filter.limit);
  };

  return {
    add: (session, commit) => {
      const fold = folds.get(session) ?? createFactFold();
      folds.set(session, fold);
      for (const fact of fold.apply(commit)) {
        if (fact.kind !== "call") continue;
        const { kind: _kind, ...call } = fact;
        entries.push({
          ...call,
          session,
          sessionKey: fold.key,
          ...(fold.parent !== undefined && { parent: fold.parent.session }),
          ...(call.status !== "ok" && { error: call.result }),
        });
      }
    },
    list,
    stats: (filter) => statistics(list(filter)),
  };
}

/** Folds whole journals. */
export async function collectToolHistory(
  journals: AsyncIterable<{ readonly session: SessionId; readonly commits: AsyncIterable<Commit> }>,
): Promise<ToolHistory> {
  const history = createToolHistory();
  for await (const { session, commits } of journals) for await (const commit of commits) history.add(session, commit);
  return history;
}

function statistics(entries: readonly ToolHistoryEntry[]): ToolStatistics {
  const byStatus: Record<ToolStatus, number> = { ok: 0, error: 0, denied: 0, interrupted: 0 };
  for (const entry of entries) byStatus[entry.status]++;
  const durations = entries
    .filter((entry) => entry.attempts > 0)
    .map((entry) => entry.durationMs)
    .sort((a, b) => a - b);
  return {
    total: entries.length,
    byTool: count(entries, (entry) => entry.tool),
    bySession: count(entries, (entry) => entry.sessionKey),
    byStatus,
    successRate: entries.length === 0 ? 1 : byStatus.ok / entries.length,
    medianMs: median(durations),
    p95Ms: quantile(durations, 0.95),
  };
}

function count(
  entries: readonly ToolHistoryEntry[],
  keyOf: (entry: ToolHistoryEntry) => string,
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const entry of entries) counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function median(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? 0;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? 0)) / 2 : upper;
}

/** Nearest rank: always a value that was measured. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
