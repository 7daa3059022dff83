/** key → session: open, find, list, fork, remove. Journals in a directory, one file per session. */
import type { Clock, Millis, Seq } from "../contract/base.ts";
import type { Address } from "../contract/message.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { Session, SessionState } from "../contract/session.ts";
import type { Bus, Journal, Journals, SessionStore, SessionSummary } from "../contract/store.ts";
import { hasCode, RuntimeError } from "../lib/errors/errors.ts";
import { idOf } from "../journal/directory.ts";
import { JOURNAL_VERSION, RELEASE } from "../journal/upgrade.ts";
import { forkable } from "./fork.ts";
import { isTemporary } from "../lib/session-key.ts";
import { spentBy } from "./gone.ts";
import { emptyState } from "./reduce.ts";
import type { CommitTimer } from "./ledger.ts";
import { createSession, type StoredSession } from "./session.ts";
import { createSnapshots, shown, type SnapshotLimits, type Snapshots } from "./snapshots.ts";
import { createSummaries, type Summaries } from "./summaries.ts";

export interface SessionsOptions {
  readonly journals: Journals;
  /** How others say that they wrote. Absent: nobody else does. */
  readonly bus?: Bus;
  readonly clock: Clock;
  readonly observers?: readonly CommitObserver[];
  readonly timer?: CommitTimer;
  /** Sessions kept folded in memory although nobody holds them. */
  readonly cached?: number;
  /** When what they have come to is kept beside their journals. */
  readonly snapshots?: SnapshotLimits;
}

type Parent = NonNullable<SessionState["parent"]>;

export interface CachedSessions extends SessionStore {
  /** Drops a session from the cache; whoever holds it keeps the same one. */
  invalidate(key: string): void;
  /** Why a session can't be opened or written just now. */
  fault(): RuntimeError | undefined;
}

interface Store extends Pick<SessionsOptions, "journals" | "clock" | "timer"> {
  readonly cached: number;
  readonly summaries: Summaries;
  readonly observers: readonly CommitObserver[];
  readonly snapshots: Snapshots;
  /** Keeps one object per session while anybody holds it; `recent` keeps the last ones alive. */
  readonly known: Map<string, WeakRef<StoredSession>>;
  readonly recent: Map<string, { readonly session: StoredSession; readonly journal: Journal }>;
  readonly opening: Map<string, Promise<Session>>;
  /** Sessions that could not be opened or written, until they can. */
  readonly faults: Map<string, RuntimeError>;
  /** The time from which on commits may be unknown to an observer. */
  reached?: Promise<Millis>;
  closed: boolean;
  /** Ends what is heard of others. */
  heard?: Disposable;
}

/** Text: the id of a session that somebody else wrote to. */
export const GREW = "grew";

export function openSessions(options: SessionsOptions): CachedSessions {
  const { journals, clock, timer, cached = 64, observers: given = [] } = options;
  const summaries = createSummaries(journals);
  const observers = [...given, summaries.observer];
  const store: Store = {
    journals,
    clock,
    ...(timer !== undefined && { timer }),
    cached,
    summaries,
    observers,
    snapshots: createSnapshots(journals, observers, options.snapshots),
    known: new Map(),
    recent: new Map(),
    opening: new Map(),
    faults: new Map(),
    closed: false,
  };
  const heard = options.bus?.subscribe(GREW, (id) => {
    for (const session of inUse(store)) if (session.state.id === id) void session.catchUp().catch(() => {}); // who goes on with it hears it too
  });
  if (heard !== undefined) store.heard = heard;
  return {
    open: (key, origin, parent) => open(store, key, origin, parent),
    peek: (key) => store.known.get(key)?.deref()?.state,
    find: (key) => look(store, key),
    list: () => list(store),
    fork: (key, newKey, seq) => fork(store, key, newKey, seq),
    remove: (key) => remove(store, key),
    left: () => journals.left?.read(),
    gone: journals.gone,
    invalidate: (key) => invalidate(store, key),
    fault: () => store.faults.values().next().value,
    [Symbol.asyncDispose]: () => close(store),
  };
}

function open(store: Store, key: string, origin: Address | undefined, parent?: Parent): Promise<Session> {
  const { known, recent, opening } = store;
  const live = known.get(key)?.deref();
  if (live !== undefined && !live.lost && (live.state.key !== "" || origin === undefined)) {
    const item = recent.get(key);
    if (item !== undefined) remember(store, key, item.session, item.journal);
    return Promise.resolve(live);
  }
  const pending = opening.get(key);
  // Whoever only looks for it opens what has no first line as it is.
  if (pending !== undefined)
    return origin === undefined ? pending : pending.then(() => open(store, key, origin, parent));
  if (store.closed)
    return Promise.reject(
      new RuntimeError("process.stopping", "margay is shutting down. Send the message again after its start."),
    );
  const started = reopenOrOpen(store, key, origin, parent).finally(() => opening.delete(key));
  opening.set(key, started);
  return started;
}

/** The same object goes on, for all who hold it, unless its journal is gone. */
async function reopenOrOpen(store: Store, key: string, origin: Address | undefined, parent?: Parent): Promise<Session> {
  const { known, faults, journals } = store;
  const live = known.get(key)?.deref();
  try {
    if (faults.has(key)) await journals.prove();
    const goesOn = live !== undefined && (!live.lost || (await live.reopen())) ? live : undefined;
    if (goesOn !== undefined) await nameIt(goesOn, key, origin, parent);
    const session = goesOn ?? (await openAt(store, key, origin, parent));
    faults.delete(key);
    return session;
  } catch (error) {
    if (hasCode(error, "journal.failed")) faults.set(key, error);
    throw error;
  }
}

async function openAt(store: Store, key: string, origin: Address | undefined, parent?: Parent): Promise<Session> {
  const { journals, clock, observers, snapshots, timer, faults } = store;
  const id = idOf(key);
  const isNew = !(await journals.has(id));
  const { opened, before } = (await snapshots.goOn(id, await snapshots.read(id))) ?? (await snapshots.readWhole(id));
  const { journal } = opened;
  const session = shown({ observers, id, before }, () =>
    createSession({
      initial: emptyState(journal.id),
      journal: isTemporary(key) ? journal : { ...journal, append: noted(journal, () => journals.left?.note(key)) },
      ...(before !== undefined && { before }),
      clock,
      observers,
      ...(timer !== undefined && { timer }),
      about: store.summaries.about,
    }),
  );
  session.subscribe(
    ({ type }) => {
      const isAtRest = type === "turn.ended" || type === "reply.delivered";
      if (isAtRest && journal.size() >= opened.due) void snapshots.consider(session, opened);
    },
    (error) => {
      if (hasCode(error, "journal.failed")) faults.set(key, error);
    },
  );
  try {
    await nameIt(session, key, origin, parent);
  } catch (error) {
    journal.release();
    if (isNew) await journals.discard(journal.id); // perhaps the name without the first line
    throw error;
  }
  remember(store, key, session, journal);
  void snapshots.consider(session, opened);
  return session;
}

/** `note` before anything is written. */
function noted({ append }: Journal, note: () => void): Journal["append"] {
  return (...line) => {
    note();
    return append(...line);
  };
}

/** What a crash kept from its first line has none yet: it says whose conversation it is, whoever looked for it before. */
async function nameIt(
  session: StoredSession,
  key: string,
  origin: Address | undefined,
  parent?: Parent,
): Promise<void> {
  if (session.state.key !== "" || origin === undefined) return;
  const opened: JournalRecord = {
    type: "session.opened",
    version: JOURNAL_VERSION,
    by: RELEASE,
    key,
    origin,
    ...(parent !== undefined && { parent }),
  };
  // Another process may have begun it meanwhile. The disk is not waited for: whoever is told anything of it is told after a commit.
  await session.recordIf(({ state }) => (state.key === "" ? [opened] : undefined));
}

function remember({ recent, known, cached }: Store, key: string, session: StoredSession, journal: Journal): void {
  recent.delete(key);
  recent.set(key, { session, journal });
  known.set(key, new WeakRef(session));
  for (const [oldest, item] of recent) {
    if (recent.size <= cached) break;
    if (item.session.state.turn !== undefined || item.session.state.pending.length > 0) continue;
    recent.delete(oldest);
    item.journal.release();
  }
}

function look(store: Store, key: string): Promise<Session | undefined> {
  return store.journals.has(idOf(key)).then((isThere) => (isThere ? openWritten(store, key) : forgetFault(store, key)));
}

/** @returns undefined when a crash came before its first line: there is nothing. */
function openWritten(store: Store, key: string): Promise<Session | undefined> {
  return open(store, key, undefined).then((session) => (session.state.seq === 0 ? undefined : session));
}

async function forgetFault({ journals, faults }: Store, key: string): Promise<undefined> {
  if (faults.has(key)) await journals.prove();
  faults.delete(key);
}

function invalidate({ recent }: Store, key: string): void {
  recent.get(key)?.journal.release();
  recent.delete(key);
}

async function list(store: Store): Promise<readonly SessionSummary[]> {
  const unknownFrom = await (store.reached ??= reachedBy(store.observers));
  const listed = (await store.summaries.list()).filter(
    ({ key, fault, settled }) => key !== "" || fault !== undefined || settled !== true,
  );
  return listed.map((summary) => {
    if (summary.settled === undefined || summary.updatedAt < unknownFrom || store.known.has(summary.key))
      return summary;
    const { settled: _settled, ...rest } = summary;
    return rest;
  });
}

async function fork(store: Store, key: string, newKey: string, seq?: Seq): Promise<Session> {
  const { journals, summaries } = store;
  const from = idOf(key);
  if (!(await journals.has(from)))
    throw new RuntimeError("session.missing", `There is no session ${key}. List them with \`margay sessions list\`.`);
  const commits: Commit[] = [];
  for await (const commit of journals.read(from)) if (seq === undefined || commit.seq <= seq) commits.push(commit);
  const copy = forkable(commits, newKey, from);
  const to = idOf(newKey);
  await journals.create(to, newKey, copy, () => summaries.about(emptyState(to), copy));
  return open(store, newKey, undefined);
}

async function remove(store: Store, key: string): Promise<boolean> {
  const { opening, known, faults, journals, snapshots } = store;
  await opening.get(key)?.catch(() => {});
  const live = known.get(key)?.deref();
  if (live !== undefined) await snapshots.consider(live);
  invalidate(store, key);
  known.delete(key);
  faults.delete(key);
  const id = idOf(key);
  return journals.remove(id, () => spentBy(id, key, journals));
}

async function close(store: Store): Promise<void> {
  if (store.closed) return; // another process may have the journals by now
  store.closed = true;
  await Promise.allSettled(store.opening.values());
  store.heard?.[Symbol.dispose]();
  for (const session of inUse(store)) {
    await session.commit().catch(() => {}); // what is written has to be on the disk to be kept; a lost one has nothing to keep
    await store.snapshots.consider(session); // what is being kept is
    await store.snapshots.consider(session);
    await session[Symbol.asyncDispose]();
  }
  store.recent.clear();
  for (const observer of store.observers) await observer.flush();
  await store.summaries.save();
  const left = store.summaries.left(store.journals.left?.read());
  if (left !== undefined) store.journals.left?.write(left);
}

function inUse({ known }: Store): readonly StoredSession[] {
  return [...known.values()].flatMap((item) => item.deref() ?? []);
}

async function reachedBy(observers: readonly CommitObserver[]): Promise<Millis> {
  const times = await Promise.all(observers.flatMap((observer) => observer.reached?.() ?? []));
  return Math.min(Number.POSITIVE_INFINITY, ...times);
}
