/** What a session that goes had spent: budgets and usage never fall. */
import type { SessionId } from "../contract/base.ts";
import type { GoneSession, SpentRequest } from "../contract/spending.ts";
import type { Journals } from "../contract/store.ts";
import { hasCode } from "../lib/errors/errors.ts";
import { openedAt } from "../journal/spent.ts";
import { perQuarter, spendingOf } from "./spending.ts";

/** What cannot be read of a damaged journal is not known. @returns undefined when it is nothing. */
export async function spentBy(
  id: SessionId,
  key: string,
  journals: Pick<Journals, "read">,
): Promise<GoneSession | undefined> {
  const spent: SpentRequest[] = [];
  const opened = await openedAt(journals.read(id));
  if (opened === undefined) return undefined;
  try {
    for await (const one of spendingOf(journals.read(id))) spent.push(one);
  } catch (error) {
    if (!hasCode(error, "journal.damaged")) throw error;
  }
  return spent.length === 0 ? undefined : { id, key, opened, spent: perQuarter(spent) };
}
