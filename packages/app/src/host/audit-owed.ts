/** What else there is in a state directory when there is an audit log: what verify compares it with. */
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockOwner, newestFact, journalsOf, type Owed } from "@margay/core/internal";

/** Clocks and file systems disagree by less. */
const SLACK_MS = 60_000;

/** Outside the log's directory, so that it stays when all of that is removed. */
const marker = (home: string): string => join(home, "audit-begun");

export function markBegun(home: string): void {
  if (existsSync(marker(home))) return;
  writeFileSync(marker(home), "There is an audit log: margay audit verify looks for it.\n", { mode: 0o600 });
}

/** Whether a log that is not there was taken away: it is made at the first start, before the first conversation. */
export function isLogExpected(home: string): boolean {
  return existsSync(marker(home)) || hasConversations(join(home, "sessions"));
}

/** The newest call, turn or answer in any journal, when it is younger than `since`: the log's newest line. */
export async function owedToLog(home: string, since: number): Promise<Owed | undefined> {
  const directory = join(home, "sessions");
  const pending = lockOwner(home) !== undefined;
  // A process that was killed may have had no time to write its last lines: the next start writes them.
  if (!pending && existsSync(join(home, "lock"))) return undefined;
  if (!hasConversations(directory)) return undefined;
  const journals = journalsOf(home);
  let newest: Omit<Owed, "pending"> | undefined;
  for (const id of await journals.list()) {
    const changed = statSync(join(directory, `${id}.journal`), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changed < since - SLACK_MS) continue; // of thousands a few are read
    newest = (await newestFact(journals.read(id), newest?.at ?? since)) ?? newest;
  }
  return newest && { ...newest, pending };
}

function hasConversations(directory: string): boolean {
  try {
    return readdirSync(directory).some((name) => name.endsWith(".journal"));
  } catch {
    return false; // nobody has said anything yet
  }
}
