/** What removed sessions had spent: money does not come back with what it was spent on. One small journal beside the others. */
import { join } from "node:path";
import type { Millis, Seq, SessionId } from "../contract/base.ts";
import type { JournalLine } from "../contract/services.ts";
import type { GoneSession } from "../contract/spending.ts";
import { hasCode } from "../lib/errors/errors.ts";
import { openFileJournal, type EnduringJournal } from "./journal.ts";

export interface SpentFile {
  /** On disk when it resolves: then the journal may go. Listed once, however often it is asked for. @throws RuntimeError `journal.failed`. */
  keep(session: GoneSession): Promise<void>;
  /** @throws RuntimeError `journal.damaged`: nobody knows how much was spent. */
  list(): readonly GoneSession[];
}

/** Not named as the sessions' are: it is none of them. Nothing is read before the first use. */
export function openSpentFile(directory: string): SpentFile {
  const sessions = memorySpentFile();
  let journal: EnduringJournal<JournalLine & GoneSession> | undefined;
  let last = 0;
  const opened = (): EnduringJournal<JournalLine & GoneSession> => {
    if (journal !== undefined) return journal;
    const file = openFileJournal<JournalLine & GoneSession>(join(directory, "removed-spending.jsonl"));
    const lines = file.takeOpened();
    for (const { seq: _seq, at: _at, ...session } of lines) void sessions.keep(session);
    last = lines.length;
    return (journal = file);
  };
  return {
    list: () => {
      opened();
      return sessions.list();
    },
    keep: async (session) => {
      const file = opened();
      const expected = last as Seq;
      last += 1;
      try {
        await file.append(expected, { seq: last as Seq, at: session.opened, ...session });
      } catch (error) {
        if (journal === file) journal = undefined; // nobody knows what it holds: it is read again
        throw error;
      } finally {
        file.release();
      }
      await sessions.keep(session);
    },
  };
}

/** For journals that live as long as the process. */
export function memorySpentFile(): SpentFile {
  const sessions = new Map<string, GoneSession>();
  return {
    list: () => [...sessions.values()],
    keep: (session) => {
      sessions.set(`${session.id} ${session.opened}`, session);
      return Promise.resolve();
    },
  };
}

/** After a crash between the two its journal is still there, and says it itself. */
export async function goneOf(
  { list }: Pick<SpentFile, "list">,
  read: (id: SessionId) => AsyncIterable<JournalLine>,
): Promise<readonly GoneSession[]> {
  const gone: GoneSession[] = [];
  for (const one of list()) if ((await openedAt(read(one.id))) !== one.opened) gone.push(one);
  return gone;
}

/** The time of the first line; undefined when there is none, or none that can be read. */
export async function openedAt(lines: AsyncIterable<JournalLine>): Promise<Millis | undefined> {
  try {
    for await (const { at } of lines) return at;
  } catch (error) {
    if (!hasCode(error, "journal.damaged")) throw error;
  }
  return undefined;
}
