/** What removed sessions had spent: budgets and usage never fall. */
import type { Millis, SessionId } from "../contract/base.ts";
import type { GoneSession, SpentRequest } from "../contract/store.ts";
import type { JournalDirectory } from "../journal/directory.ts";
import { hasCode } from "../lib/errors/errors.ts";
import { perQuarter, spendingOf } from "./spending.ts";

export async function goneSessions(journals: JournalDirectory): Promise<readonly GoneSession[]> {
  const gone: GoneSession[] = [];
  // After a crash in the middle the journal is still there, and says it itself.
  for (const one of journals.spent.list()) if ((await openedAt(one.id, journals)) !== one.opened) gone.push(one);
  return gone;
}

/** What cannot be read of a damaged journal is not known. */
export async function keepSpending(id: SessionId, key: string, journals: JournalDirectory): Promise<void> {
  const spent: SpentRequest[] = [];
  const opened = await openedAt(id, journals);
  if (opened === undefined) return;
  try {
    for await (const one of spendingOf(journals.read(id))) spent.push(one);
  } catch (error) {
    if (!hasCode(error, "journal.damaged")) throw error;
  }
  if (spent.length > 0) await journals.spent.keep({ id, key, opened, spent: perQuarter(spent) });
}

/** The time of the first commit; undefined when there is none, or none that can be read. */
async function openedAt(id: SessionId, journals: JournalDirectory): Promise<Millis | undefined> {
  if (!journals.has(id)) return undefined;
  try {
    for await (const { at } of journals.read(id)) return at;
  } catch (error) {
    if (!hasCode(error, "journal.damaged")) throw error;
  }
  return undefined;
}
