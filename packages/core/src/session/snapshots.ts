/** When what a session has come to is kept beside its journal, and how it goes on from there. */
import type { SessionId } from "../contract/base.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { JournalDirectory, OpenedJournal } from "../journal/directory.ts";
import type { Snapshot } from "../journal/snapshot.ts";
import { isTemporary } from "../lib/session-key.ts";
import type { StoredSession } from "./session.ts";

export interface Snapshots {
  open(id: SessionId): Promise<Opened>;
  /** Keeps what it is now, if it is due and nothing is on its way. */
  consider(session: StoredSession, opened: Opened): void;
  /** What is being kept of it is, and what is due. */
  finish(session: StoredSession): Promise<void>;
}

/** A journal, and what stands in front of the commits that were read of it. */
export interface Opened {
  readonly journal: OpenedJournal;
  readonly before?: Snapshot;
  /** How long the journal has to be for the next one, in bytes. */
  due: number;
  keeping?: Promise<void>;
}

/** Written behind a snapshot, before the next: reading less than this again is not worth a writing. */
const LEAST_BYTES = 1_048_576;

export function createSnapshots(
  journals: Pick<JournalDirectory, "open" | "has" | "snapshot" | "keep">,
  observers: readonly CommitObserver[],
): Snapshots {
  const known = new WeakMap<StoredSession, Opened>();
  const parts = observers.flatMap(({ continues }) => continues ?? []);
  const isUsed = parts.length === observers.length;

  const keep = async (session: StoredSession, opened: Opened): Promise<void> => {
    const now = session.snapshot();
    if (now === undefined) return;
    const { id, key } = now.state;
    const kept = Object.fromEntries(parts.map((part) => [part.name, structuredClone(part.keep(id))]));
    opened.due = isTemporary(key) ? Infinity : now.place.bytes + LEAST_BYTES; // also when it fails: not at each turn
    if (isTemporary(key)) return;
    // What they were shown is not shown to them again: theirs goes to the disk first.
    for (const observer of observers) await observer.flush();
    const size = await journals.keep(id, { ...now, kept });
    opened.due = dueAfter(now.place.bytes, size);
  };
  const consider: Snapshots["consider"] = (session, opened) => {
    known.set(session, opened);
    if (opened.keeping !== undefined || opened.journal.size < opened.due) return;
    opened.keeping = keep(session, opened)
      .catch(() => {}) // a full disk: who opens it next reads more
      .finally(() => {
        delete opened.keeping;
      });
  };

  return {
    open: async (id) => {
      const found = isUsed && journals.has(id) ? await journals.snapshot(id) : undefined;
      const journal = journals.open(id, found);
      const due = isUsed ? LEAST_BYTES : Infinity;
      if (found === undefined || journal.after === 0) return { journal, due };
      if (parts.every(({ name, resume }) => resume(found.state, found.kept[name])))
        return { journal, before: found, due: dueAfter(found.place.bytes, found.size) };
      journal.release();
      return { journal: journals.open(id), due };
    },
    consider,
    finish: async (session) => {
      const opened = known.get(session);
      if (opened === undefined) return;
      await opened.keeping;
      consider(session, opened);
      await opened.keeping;
    },
  };
}

/** Half of what it writes: a long context is not written again for a few words. */
function dueAfter(bytes: number, size = 0): number {
  return bytes + Math.max(LEAST_BYTES, size / 2);
}
