/** When what a session has come to is kept beside its journal, and how it goes on from there. */
import type { SessionId } from "../contract/base.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { Journal, Journals, Place, Snapshot } from "../contract/store.ts";
import { isTemporary } from "../lib/session-key.ts";
import { GrowingList } from "../lib/async/growing-list.ts";
import { emptyState } from "./reduce.ts";
import { take, type Taken } from "./ledger.ts";
import type { StoredSession } from "./session.ts";

export interface Snapshots {
  /** What was kept of it last, whether it is of this journal or not. */
  read(id: SessionId): Promise<Snapshot | undefined>;
  /** @returns `before` when the observers go on from it: they have to be shown what the journal was opened with before anything else happens. */
  goOn(id: SessionId, found: Snapshot | undefined): Promise<OpenedAt | undefined>;
  /** All of it is read; a long one in pieces, and the observers see it as it comes. */
  readWhole(id: SessionId): Promise<OpenedAt>;
  /** Keeps what it is now, if it is due and nothing is on its way. @returns when nothing is being kept of it. */
  consider(session: StoredSession, opened?: Opened): Promise<void>;
}
/**
 * `before`: what stands in front of the commits that the journal was opened with, and the observers have it already. They are told when
 * those behind it have been shown as well, or could not be.
 */
interface OpenedAt {
  readonly opened: Opened;
  readonly before?: Pick<Snapshot, "state" | "keys" | "version">;
}
export interface Opened {
  readonly journal: Journal;
  /** How long the journal has to be for the next one, in bytes. */
  due: number;
}
/** What is written to a journal before its next snapshot. `share`: of what the last one took, so that a long context is not written again for a few words. */
export interface SnapshotLimits {
  readonly leastBytes: number;
  readonly share: number;
}
const LIMITS: SnapshotLimits = { leastBytes: 1_048_576, share: 0.5 };

export function createSnapshots(
  journals: Pick<Journals, "open" | "has" | "snapshot" | "keep" | "read" | "isLong">,
  observers: readonly CommitObserver[],
  { leastBytes, share }: SnapshotLimits = LIMITS,
): Snapshots {
  const known = new WeakMap<StoredSession, Opened>();
  const keeping = new Map<SessionId, Promise<void>>();
  const parts = observers.flatMap(({ continues }) => continues ?? []);
  const isUsed = parts.length === observers.length;
  const dueAfter = (bytes: number, size = 0): number => bytes + Math.max(leastBytes, size * share);

  const keep = async (session: StoredSession, opened: Opened): Promise<void> => {
    const { id, key, seq } = session.state;
    if (isTemporary(key)) opened.due = Infinity;
    if (opened.due === Infinity || session.snapshot() === undefined) return;
    // What they were shown is not shown to them again: theirs goes to the disk first. What came meanwhile did not.
    for (const observer of observers) await observer.flush();
    const now = session.snapshot();
    if (now?.state.seq !== seq) return;
    const kept = Object.fromEntries(parts.map((part) => [part.name, structuredClone(part.keep(id)) ?? null]));
    opened.due = dueAfter(now.place.bytes); // also when it fails: not at each turn
    opened.due = dueAfter(now.place.bytes, await journals.keep(id, { ...now, kept }));
  };
  return {
    read: async (id) => (isUsed && (await journals.has(id)) ? journals.snapshot(id) : undefined),
    goOn: async (id, found) => {
      if (found === undefined) return undefined;
      const journal = await journals.open(id, found);
      tellObservers(observers, id, "begun");
      // Another program had other observers: one that was not there has to be shown all.
      const goesOn = (): boolean =>
        parts.every(({ name, resume }) => name in found.kept && resume(found.state, found.kept[name]));
      if (journal.after > 0 && goesOn())
        return { opened: { journal, due: dueAfter(found.place.bytes, found.size) }, before: found };
      tellObservers(observers, id, "failed");
      journal.release();
      return undefined;
    },
    readWhole: async (id) => {
      const before = journals.isLong?.(id) === true ? await replayed(id, journals, observers) : undefined;
      let isBehind = false;
      try {
        const journal = await journals.open(id, before);
        const opened = { journal, due: isUsed ? dueAfter(0) : Infinity };
        if (before === undefined || journal.after === 0) return { opened };
        isBehind = true;
        return { opened, before };
      } finally {
        // It cannot be opened, or is another journal by now.
        if (before !== undefined && !isBehind) tellObservers(observers, id, "failed");
      }
    },
    consider: (session, opened = known.get(session)) => {
      if (opened === undefined) return Promise.resolve();
      known.set(session, opened);
      const { id } = opened.journal;
      const before = keeping.get(id);
      if (before !== undefined || opened.journal.size() < opened.due) return before ?? Promise.resolve();
      const kept = keep(session, opened)
        .catch(() => {}) // a full disk: who opens it next reads more
        .finally(() => keeping.delete(id));
      keeping.set(id, kept);
      return kept;
    },
  };
}

/** @param show Shows the observers what the journal was opened with. */
export function shown<Made>(
  { observers, id, before }: { observers: readonly CommitObserver[]; id: SessionId; before: OpenedAt["before"] },
  show: () => Made,
): Made {
  let isShown = false;
  try {
    const made = show();
    isShown = true;
    return made;
  } finally {
    if (before !== undefined) tellObservers(observers, id, isShown ? "done" : "failed");
  }
}

function tellObservers(observers: readonly CommitObserver[], id: SessionId, at: "begun" | "done" | "failed"): void {
  for (const observer of observers) observer.replay?.(id, at);
}

/** With turns of the event loop in between. What stands behind it is not shown yet. */
async function replayed(
  id: SessionId,
  journals: Pick<Journals, "read">,
  observers: readonly CommitObserver[],
): Promise<Pick<Snapshot, "state" | "keys" | "version" | "place"> | undefined> {
  const taken: Taken = { state: { ...emptyState(id), messages: new GrowingList() }, keys: new Set(), version: 0 };
  let place: Place | undefined;
  tellObservers(observers, id, "begun");
  try {
    for await (const commit of journals.read(id, undefined, (end) => (place = end))) {
      take(taken, commit);
      for (const observer of observers) observer.observe(taken.state, commit, true);
    }
  } finally {
    if (place === undefined) tellObservers(observers, id, "failed");
  }
  const { state, keys, version } = taken;
  return place && { place, state: { ...state, messages: [...state.messages] }, keys: [...keys], version };
}
