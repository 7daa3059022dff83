/** What all sessions spent since a time, from their journals: for budgets that span sessions. */
import type { Millis } from "../contract/base.ts";
import type { SessionStore } from "../contract/session.ts";
import type { Spending } from "./budget.ts";

export async function spendingSince(sessions: SessionStore, since: Millis): Promise<readonly Spending[]> {
  const list: Spending[] = [];
  for (const { key, updatedAt, fault } of await sessions.list()) {
    if (fault !== undefined) continue; // reported at start
    const session = updatedAt >= since ? await sessions.find(key) : undefined;
    if (session === undefined) continue;
    for await (const commit of session.history()) {
      if (commit.at < since) continue;
      for (const record of commit.records)
        if (
          record.type === "model.responded" ||
          record.type === "usage.counted" ||
          record.type === "history.compacted" ||
          record.type === "memory.answered"
        ) {
          const { usage } = record.type === "model.responded" ? record.message : record;
          list.push({ at: commit.at, source: session.state.origin.channel, usage });
        }
    }
  }
  return list;
}
