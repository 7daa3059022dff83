/** Journals without a disk: for embedders that keep nothing, and for tests. Several who write to one memory are told of each other. */
import type { Seq, SessionId } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import type { About, Journal, Journals } from "../contract/store.ts";
import { sessionExists } from "../journal/directory.ts";
import { goneOf, memorySpentFile } from "../journal/spent.ts";

/** What one session has come to. */
interface Row {
  readonly lines: string[];
  about: About | undefined;
  /** Raised with each claim: who drove it before is fenced. */
  epoch: number;
}

/** What several share, as they would a database. */
export type SharedMemory = Map<SessionId, Row>;

export interface MemoryOptions {
  readonly shared?: SharedMemory;
  /** How long it takes until a statement runs. Absent: it runs at once, as a file is written. */
  readonly away?: () => Promise<void>;
  /** The epochs of the sessions that are driven here; of the others it is a visitor. */
  readonly epochs?: ReadonlyMap<SessionId, number>;
  /** Somebody wrote. */
  readonly told?: (id: SessionId) => void;
}

/** Commits are copied in and out, as a disk would. */
export function memoryJournals({ shared = new Map(), away, epochs, told }: MemoryOptions = {}): Journals {
  const rowOf = (id: SessionId): Row => {
    const row = shared.get(id) ?? { lines: [], about: undefined, epoch: 0 };
    shared.set(id, row);
    return row;
  };
  const commitsOf = (id: SessionId, after = 0): readonly Commit[] =>
    (shared.get(id)?.lines.slice(after) ?? []).map((line) => JSON.parse(line) as Commit); // written by append below
  // oxlint-disable-next-line require-await -- the contract is asynchronous, memory is not
  const read = async function* (id: SessionId, after?: Seq): AsyncGenerator<Commit> {
    yield* commitsOf(id, after);
  };
  const append = (id: SessionId): Journal["append"] => {
    return async (expected, commits, about, written) => {
      const kept = away === undefined ? undefined : about();
      await away?.();
      const row = rowOf(id);
      if (epochs !== undefined && (epochs.get(id) ?? row.epoch) !== row.epoch) return { status: "fenced" };
      const head = row.lines.length as Seq;
      if (expected !== head) return { status: "behind", head };
      row.lines.push(...commits.map((commit) => JSON.stringify(commit)));
      row.about = kept;
      written();
      told?.(id);
      return { status: "ok" };
    };
  };
  const removed = memorySpentFile();
  const isThere = (id: SessionId): boolean => (shared.get(id)?.lines.length ?? 0) > 0;
  /* oxlint-disable require-await -- the contract is asynchronous, memory is not */
  return {
    open: async (id) => {
      let opened = commitsOf(id);
      return {
        id,
        after: 0 as Seq, // nothing is kept beside
        takeOpened: () => {
          const commits = opened;
          opened = [];
          return commits;
        },
        append: append(id),
        read: (after) => read(id, after),
        reopen: async () => commitsOf(id),
        size: () => 0,
        place: () => undefined,
        release: () => {},
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
    },
    has: async (id) => isThere(id),
    read,
    list: async () => [...shared.keys()].filter(isThere),
    ...(away !== undefined && {
      summaries: async () => [...shared.values()].flatMap(({ about }) => about?.summary ?? []),
    }),
    stamps: async function* () {
      for (const [id, { lines }] of shared) if (lines.length > 0) yield [id, String(lines.length)];
    },
    stampAt: async () => undefined, // nothing is kept of what dies with the process
    cache: () => ({ load: () => Promise.resolve(new Map()), save: () => Promise.resolve() }),
    create: async (id, key, commits, about) => {
      if (isThere(id)) throw sessionExists(key);
      const row = rowOf(id);
      row.lines.push(...commits.map((commit) => JSON.stringify(commit)));
      if (away !== undefined) row.about = about();
    },
    remove: async (id, spent) => {
      const kept = isThere(id) ? await spent() : undefined;
      if (kept !== undefined) await removed.keep(kept);
      return shared.delete(id);
    },
    gone: () => goneOf(removed, read),
    discard: async (id) => void shared.delete(id),
    snapshot: async () => undefined,
    keep: async () => undefined,
    prove: async () => {},
  };
  /* oxlint-enable require-await */
}
