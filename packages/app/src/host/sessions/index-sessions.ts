/** All sessions as lines of a list: of journals that are as the last process left them nothing is read. */
import { hasCode, type Clock, type Commit, type Logger, type RuntimeError } from "@margay/core";
import {
  type Cached,
  type JournalCache,
  emptySummary,
  endOfTick,
  firstOf,
  isTemporary,
  type Journals,
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
const VERSION = "7";
/** Fewer read again than this are not worth a writing before the end. */
const MIN_READ = 50;
/** Files looked at between two turns of the event loop. */
const PIECE = 50;

export interface IndexDeps {
  readonly hub: Hub;
  readonly marks: Marks;
  readonly sessionIds: () => Promise<readonly SessionId[]>;
  readonly journals: Pick<Journals, "stamps" | "stampAt" | "cache">;
  readonly readCommits: (id: SessionId) => AsyncIterable<Commit>;
  readonly clock: Clock;
  readonly log: Logger;
}

type Change = { readonly changed: Summary } | { readonly removed: SessionId };

interface Index extends IndexDeps {
  readonly summaries: Map<SessionId, Summary>;
  readonly byKey: Map<string, SessionId>;
  readonly listeners: Set<(change: Change) => void>;
  /** Being read from their journals, with the commits that came meanwhile. */
  readonly reading: Map<SessionId, { readonly since: Commit[]; readonly done: Promise<void> }>;
  /** Those that the disk did not give, with what it said: absent is another thing. */
  readonly unread: Map<SessionId, RuntimeError>;
  readonly cache: JournalCache<Kept>;
  loading: Promise<void> | undefined;
}

export function createIndex(deps: IndexDeps): SessionIndex {
  const index: Index = {
    ...deps,
    summaries: new Map(),
    byKey: new Map(),
    listeners: new Set(),
    reading: new Map(),
    unread: new Map(),
    cache: deps.journals.cache<Kept>("gateway", VERSION),
    loading: undefined,
  };
  const { summaries, byKey, listeners, unread } = index;
  deps.hub.followAll(
    (id, commit) => take(index, id, commit),
    (id) => {
      if (index.loading !== undefined && !summaries.has(id)) void read(index, id); // perhaps nothing more is written to it
    },
  );
  return {
    all: async () => {
      await ready(index);
      return [...summaries.values()];
    },
    get: (id) => get(index, id),
    known: () => summaries.values(),
    byKey: async (key) => {
      await ready(index);
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
      tell(index, { removed: id });
    },
    touch: (id) => {
      const summary = summaries.get(id);
      if (summary !== undefined) tell(index, { changed: summary });
    },
    save: async () => {
      if (index.loading === undefined) return;
      await index.loading.catch(() => {});
      await save(index);
    },
  };
}

function tell({ listeners }: Index, change: Change): void {
  for (const listener of listeners) listener(change);
}

function know({ summaries, byKey }: Index, summary: Summary): void {
  summaries.set(summary.id, summary);
  byKey.set(summary.key, summary.id);
}

function take(index: Index, id: SessionId, commit: Commit): void {
  const { marks, reading, summaries, log } = index;
  // Whoever writes again in a conversation takes it out of the trash.
  if (marks.of(id).trashedAt !== undefined && firstOf(commit.records, "message.received") !== undefined)
    marks
      .change(id, ({ trashedAt: _trashedAt, ...mark }) => mark)
      .catch((error: unknown) => log.error("marks.failed", { message: messageOf(error) }));
  const busy = reading.get(id);
  const known = summaries.get(id);
  if (busy !== undefined) busy.since.push(commit);
  else if (known?.lastSeq === commit.seq - 1) {
    takeCommit(known, commit);
    tell(index, { changed: known });
  } else void read(index, id); // new, or made by a fork
}

function read(index: Index, id: SessionId): Promise<void> {
  const busy = index.reading.get(id);
  if (busy !== undefined) return busy.done;
  const since: Commit[] = [];
  const done = readAll(index, id, since);
  index.reading.set(id, { since, done });
  return done;
}

/** @param since The commits that come while it is read. */
async function readAll(index: Index, id: SessionId, since: readonly Commit[]): Promise<void> {
  const { hub, clock, log, reading, unread } = index;
  const summary = emptySummary(id);
  try {
    for await (const commit of politely(index.readCommits(id), clock)) {
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
  know(index, summary);
  tell(index, { changed: summary });
}

async function load(index: Index): Promise<void> {
  const { hub, journals, cache, summaries, reading } = index;
  const kept = await cache.load().catch(() => new Map<SessionId, Cached<Kept>>());
  let count = 0;
  for await (const [id, stamp] of journals.stamps()) {
    if (summaries.has(id)) continue;
    const before = kept.get(id);
    if (before?.stamp === stamp && hub.shown(id) === undefined && !reading.has(id))
      know(index, { ...before.value, asked: new Set(), during: new Set() });
    else {
      await read(index, id);
      count += 1;
    }
  }
  if (count > MIN_READ) await save(index);
}

async function save({ summaries, journals, cache, log }: Index): Promise<void> {
  const entries: (readonly [SessionId, Cached<Kept>])[] = [];
  for (const summary of summaries.values()) {
    const { asked, during: _during, ...value } = summary;
    if (isTemporary(summary.key)) continue;
    const stamp = summary.running || asked.size > 0 ? undefined : await journals.stampAt(summary.id, summary.lastSeq);
    if (stamp !== undefined) entries.push([summary.id, { stamp, value }]);
    if (entries.length % PIECE === 0) await endOfTick();
  }
  // On a full disk the next start reads the journals.
  await cache.save(entries).catch((error: unknown) => log.warn("sessions.unkept", { message: messageOf(error) }));
}

async function ready(index: Index): Promise<void> {
  index.loading ??= load(index).catch((error: unknown) => {
    index.loading = undefined; // who asks next tries again
    throw error;
  });
  await index.loading;
  for (const id of index.unread.keys()) await read(index, id);
}

async function get(index: Index, id: SessionId): Promise<Summary | undefined> {
  const { hub, summaries, unread, sessionIds } = index;
  const isThere = async (): Promise<boolean> => hub.shown(id) !== undefined || (await sessionIds()).includes(id);
  if (unread.has(id) || (!summaries.has(id) && (await isThere()))) await read(index, id);
  const failure = unread.get(id);
  if (failure !== undefined) throw failure;
  return summaries.get(id);
}
