/** What all sessions spent since a time, from their journals: for budgets that span sessions. */
import type { Millis } from "../../contract/base.ts";
import type { SessionStore } from "../../contract/store.ts";
import { spendingOf } from "../../session/spending.ts";
import type { Spending } from "./ledger.ts";

export async function spendingSince(sessions: SessionStore, since: Millis): Promise<readonly Spending[]> {
  const list: Spending[] = [];
  for (const { key, updatedAt, fault } of await sessions.list()) {
    if (fault !== undefined) continue; // reported at start
    const session = updatedAt >= since ? await sessions.find(key) : undefined;
    if (session === undefined) continue;
    for await (const spent of spendingOf(session.history())) if (spent.at >= since) list.push(spent);
  }
  for (const { spent } of (await sessions.gone?.()) ?? []) for (const one of spent) if (one.at >= since) list.push(one);
  return list;
}
