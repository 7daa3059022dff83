/** When what a session has come to is kept beside its journal, and how it goes on from there. */
import type { SessionId } from "../contract/base.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { JournalDirectory, OpenedJournal } from "../journal/directory.ts";
import type { ReadSnapshot, Snapshot } from "../journal/snapshot.ts";
import { isTemporary } from "../lib/session-key.ts";
import type { StoredSession } from "./session.ts";

export interface Snapshots {
  /** What was kept of it last, whether it is of this journal or not. */
  read(id: SessionId): Promise<ReadSnapshot | undefined>;
  /**
   * The observers go on from `before` when it is returned: whoever gets it shows them the commits that the journal was opened with
   * before anything else happens.
   */
  open(id: SessionId, found: ReadSnapshot | undefined): { readonly opened: Opened; readonly before?: Snapshot };
  /** Keeps what it is now, if it is due and nothing is on its way. */
  consider(session: StoredSession, opened: Opened): void;
  /** What is being kept of it is, and what is due. */
  finish(session: StoredSession): Promise<void>;
  /** Nothing is being kept of it. */
  idle(id: SessionId): Promise<void>;
}

export interface Opened {
  readonly journal: OpenedJournal;
  /** How long the journal has to be for the next one, in bytes. */
  due: number;
}

/** What is written to a journal before its next snapshot. */
export interface SnapshotLimits {
  readonly leastBytes: number;
  /** Of what the last one took: a long context is not written again for a few words. */
  readonly share: number;
}

const LIMITS: SnapshotLimits = { leastBytes: 1_048_576, share: 0.5 };

export function createSnapshots(
  journals: Pick<JournalDirectory, "open" | "has" | "snapshot" | "keep">,
  observers: readonly CommitObserver[],
  { leastBytes, share }: SnapshotLimits = LIMITS,
): Snapshots {
  const known = new WeakMap<StoredSession, Opened>();
  const keeping = new Map<SessionId, Promise<void>>();
  const parts = observers.flatMap(({ continues }) => continues ?? []);
  const isUsed = parts.length === observers.length;
  const dueAfter = (bytes: number, size = 0): number => bytes + Math.max(leastBytes, size * share);

  const keep = async (session: StoredSession, opened: Opened): Promise<void> => {
    const now = session.snapshot();
    if (now === undefined) return;
    const { id, key } = now.state;
    const kept = Object.fromEntries(parts.map((part) => [part.name, structuredClone(part.keep(id)) ?? null]));
    opened.due = isTemporary(key) ? Infinity : dueAfter(now.place.bytes); // also when it fails: not at each turn
    if (isTemporary(key)) return;
    // What they were shown is not shown to them again: theirs goes to the disk first.
    for (const observer of observers) await observer.flush();
    const size = await journals.keep(id, { ...now, kept });
    opened.due = dueAfter(now.place.bytes, size);
  };
  const consider: Snapshots["consider"] = (session, opened) => {
    known.set(session, opened);
    const { id } = opened.journal;
    if (keeping.has(id) || opened.journal.size < opened.due) return;
    const kept = keep(session, opened).catch(() => {}); // a full disk: who opens it next reads more
    keeping.set(
      id,
      kept.finally(() => keeping.delete(id)),
    );
  };
  const idle = async (id: SessionId): Promise<void> => keeping.get(id);

  return {
    read: async (id) => (isUsed && journals.has(id) ? journals.snapshot(id) : undefined),
    open: (id, found) => {
      const journal = journals.open(id, found);
      const due = isUsed ? dueAfter(0) : Infinity;
      if (found === undefined || journal.after === 0) return { opened: { journal, due } };
      // Another program had other observers: one that was not there has to be shown all.
      if (parts.every(({ name, resume }) => name in found.kept && resume(found.state, found.kept[name])))
        return { opened: { journal, due: dueAfter(found.place.bytes, found.size) }, before: found };
      journal.release();
      return { opened: { journal: journals.open(id), due } };
    },
    consider,
    finish: async (session) => {
      const opened = known.get(session);
      if (opened === undefined) return;
      await idle(opened.journal.id);
      consider(session, opened);
      await idle(opened.journal.id);
    },
    idle,
  };
}
