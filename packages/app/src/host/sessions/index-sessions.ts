/** All sessions as lines of a list: of journals that are as the last process left them nothing is read. */
import { hasCode, type Clock, type Commit, type Logger, type RuntimeError } from "@margay/core";
import {
  type Cached,
  emptySummary,
  endOfTick,
  firstOf,
  type JournalDirectory,
  messageOf,
  type SessionId,
  type Summary,
  takeCommit,
} from "@margay/core/internal";
import type { Hub } from "../live/hub.ts";
import type { Marks } from "./marks.ts";
import { politely } from "../live/politely.ts";

export interface SessionIndex {
  /** Without those that cannot be read now: they come when somebody asks later. */
  all(): Promise<readonly Summary[]>;
  /** @throws RuntimeError `journal.failed` when it cannot be read now. */
  get(id: SessionId): Promise<Summary | undefined>;
  /** Those read so far. */
  known(): Iterable<Summary>;
  byKey(key: string): Promise<Summary | undefined>;
  /** Told of every change; the summary is the index's own. */
  watch(listener: (change: { readonly changed: Summary } | { readonly removed: SessionId }) => void): () => void;
  /** Its journal is gone. */
  remove(id: SessionId): void;
  /** A mark of it changed. */
  touch(id: SessionId): void;
  /** For the next process. */
  save(): Promise<void>;
}

/** Of an idle session, as JSON. */
type Kept = Omit<Summary, "asked" | "during">;

/** Changes when `takeCommit` gives other summaries, or `Summary` other fields. */
const VERSION = "3";
/** Fewer read again than this are not worth a writing before the end. */
const MIN_READ = 50;
/** Files looked at between two turns of the event loop. */
const PIECE = 50;

export function createIndex(deps: {
  readonly hub: Hub;
  readonly marks: Marks;
  readonly sessionIds: () => readonly SessionId[];
  readonly journals: Pick<JournalDirectory, "stamps" | "stampAt" | "cache">;
  readonly readCommits: (id: SessionId) => AsyncIterable<Commit>;
  readonly clock: Clock;
  readonly log: Logger;
}): SessionIndex {
  const { hub, marks, clock, log } = deps;
  const summaries = new Map<SessionId, Summary>();
  const byKey = new Map<string, SessionId>();
  const listeners = new Set<Parameters<SessionIndex["watch"]>[0]>();
  /** Being read from their journals, with the commits that came meanwhile. */
  const reading = new Map<SessionId, { readonly since: Commit[]; readonly done: Promise<void> }>();
  /** Those that the disk did not give, with what it said: absent is another thing. */
  const unread = new Map<SessionId, RuntimeError>();
  let loading: Promise<void> | undefined;

  const tell = (change: { readonly changed: Summary } | { readonly removed: SessionId }): void => {
    for (const listener of listeners) listener(change);
  };

  const follow = (id: SessionId, commit: Commit): void => {
    // Whoever writes again in a conversation takes it out of the trash.
    const { trashedAt, ...mark } = marks.of(id);
    if (trashedAt !== undefined && firstOf(commit.records, "message.received") !== undefined) marks.set(id, mark);
    const busy = reading.get(id);
    const known = summaries.get(id);
    if (busy !== undefined) busy.since.push(commit);
    else if (known?.lastSeq === commit.seq - 1) {
      takeCommit(known, commit);
      tell({ changed: known });
    } else void read(id); // new, or made by a fork
  };
  hub.followAll(follow, (id) => {
    if (loading !== undefined && !summaries.has(id)) void read(id); // perhaps nothing more is written to it
  });

  const know = (summary: Summary): void => {
    summaries.set(summary.id, summary);
    byKey.set(summary.key, summary.id);
  };

  const read = (id: SessionId): Promise<void> => {
    const busy = reading.get(id);
    if (busy !== undefined) return busy.done;
    const since: Commit[] = [];
    const work = async (): Promise<void> => {
      const summary = emptySummary(id);
      try {
        for await (const commit of politely(deps.readCommits(id), clock)) {
          if (commit.seq > (hub.shown(id) ?? Number.POSITIVE_INFINITY)) break;
          takeCommit(summary, commit);
        }
        unread.delete(id);
      } catch (error) {
        // One damaged journal hides no other; doctor names it.
        log.warn("session.unreadable", { session: id, message: messageOf(error) });
        if (hasCode(error, "journal.failed")) unread.set(id, error);
      }
      for (const commit of since) takeCommit(summary, commit);
      reading.delete(id);
      if (summary.key === "" || unread.has(id)) return;
      know(summary);
      tell({ changed: summary });
    };
    const done = work();
    reading.set(id, { since, done });
    return done;
  };

  const cache = deps.journals.cache<Kept>("gateway", VERSION);
  const load = async (): Promise<void> => {
    const kept = await cache.load().catch(() => new Map<SessionId, Cached<Kept>>());
    let count = 0;
    for await (const [id, stamp] of deps.journals.stamps()) {
      if (summaries.has(id)) continue;
      const before = kept.get(id);
      if (before?.stamp === stamp && hub.shown(id) === undefined && !reading.has(id))
        know({ ...before.value, asked: new Set(), during: new Set() });
      else {
        await read(id);
        count += 1;
      }
    }
    if (count > MIN_READ) await save();
  };

  const save = async (): Promise<void> => {
    const entries: (readonly [SessionId, Cached<Kept>])[] = [];
    for (const summary of summaries.values()) {
      const { asked, during: _during, ...value } = summary;
      const stamp = summary.running || asked.size > 0 ? undefined : deps.journals.stampAt(summary.id, summary.lastSeq);
      if (stamp !== undefined) entries.push([summary.id, { stamp, value }]);
      if (entries.length % PIECE === 0) await endOfTick();
    }
    // On a full disk the next start reads the journals.
    await cache.save(entries).catch((error: unknown) => log.warn("sessions.unkept", { message: messageOf(error) }));
  };

  const ready = async (): Promise<void> => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined; // who asks next tries again
      throw error;
    });
    await loading;
    for (const id of unread.keys()) await read(id);
  };

  return {
    all: async () => {
      await ready();
      return [...summaries.values()];
    },
    get: async (id) => {
      const isThere = (): boolean => hub.shown(id) !== undefined || deps.sessionIds().includes(id);
      if (unread.has(id) || (!summaries.has(id) && isThere())) await read(id);
      const failure = unread.get(id);
      if (failure !== undefined) throw failure;
      return summaries.get(id);
    },
    known: () => summaries.values(),
    byKey: async (key) => {
      await ready();
      const id = byKey.get(key);
      return id === undefined ? undefined : summaries.get(id);
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    remove: (id) => {
      const summary = summaries.get(id);
      summaries.delete(id);
      unread.delete(id);
      if (summary !== undefined) byKey.delete(summary.key);
      tell({ removed: id });
    },
    touch: (id) => {
      const summary = summaries.get(id);
      if (summary !== undefined) tell({ changed: summary });
    },
    save: async () => {
      if (loading === undefined) return;
      await loading.catch(() => {});
      await save();
    },
  };
}
