/** key → session: open, find, list, fork, remove. Journals in a directory, one file per session. */
import type { Clock, Millis, Seq, SessionId } from "../contract/base.ts";
import type { Address } from "../contract/message.ts";
import type { Commit } from "../contract/record.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { GoneSession, Session, SessionState, SessionStore, SpentRequest } from "../contract/session.ts";
import { hasCode, RuntimeError } from "../lib/errors/errors.ts";
import { perQuarter, spendingOf } from "./spending.ts";
import type { JournalDirectory, OpenedJournal } from "../journal/directory.ts";
import { JOURNAL_VERSION, RELEASE } from "../journal/upgrade.ts";
import { GrowingList } from "./growing-list.ts";
import { emptyState, fold } from "./reduce.ts";
import { createSession, type CommitTimer, type StoredSession } from "./session.ts";
import { createSummaries } from "./summaries.ts";

export interface SessionsOptions {
  readonly journals: JournalDirectory;
  readonly clock: Clock;
  readonly observers?: readonly CommitObserver[];
  readonly timer?: CommitTimer;
  /** Sessions kept folded in memory although nobody holds them. */
  readonly cached?: number;
}

type Parent = NonNullable<SessionState["parent"]>;

export interface CachedSessions extends SessionStore {
  /** Drops a session from the cache; whoever holds it keeps the same one. */
  invalidate(key: string): void;
  /** Why a session can't be opened or written just now. */
  fault(): RuntimeError | undefined;
}

export function openSessions(options: SessionsOptions): CachedSessions {
  const { journals, clock, timer, cached = 64 } = options;
  const summaries = createSummaries(journals);
  const observers = [...(options.observers ?? []), summaries.observer];
  /** Keeps one object per session while anybody holds it; `recent` keeps the last ones alive. */
  const known = new Map<string, WeakRef<StoredSession>>();
  const recent = new Map<string, { readonly session: StoredSession; readonly journal: OpenedJournal }>();
  const opening = new Map<string, Promise<Session>>();
  /** Sessions that could not be opened or written, until they can. */
  const faults = new Map<string, RuntimeError>();
  /** The time from which on commits may be unknown to an observer. */
  let reached: Promise<Millis> | undefined;
  let closed = false;

  const remember = (key: string, session: StoredSession, journal: OpenedJournal): void => {
    recent.delete(key);
    recent.set(key, { session, journal });
    known.set(key, new WeakRef(session));
    for (const [oldest, item] of recent) {
      if (recent.size <= cached) break;
      if (item.session.state.turn !== undefined || item.session.state.pending.length > 0) continue;
      recent.delete(oldest);
      item.journal.release();
    }
  };

  /** What a crash kept from its first line has none yet: it says whose conversation it is, whoever looked for it before. */
  const nameIt = async (session: Session, key: string, origin: Address | undefined, parent?: Parent): Promise<void> => {
    if (session.state.key !== "" || origin === undefined) return;
    await session.commit({
      type: "session.opened",
      version: JOURNAL_VERSION,
      by: RELEASE,
      key,
      origin,
      ...(parent !== undefined && { parent }),
    });
  };

  const openAt = async (key: string, origin: Address | undefined, parent?: Parent): Promise<Session> => {
    const isNew = !journals.has(idOf(key, journals));
    const journal = journals.open(idOf(key, journals));
    const session = createSession({
      initial: emptyState(journal.id),
      journal,
      clock,
      observers,
      ...(timer !== undefined && { timer }),
    });
    session.subscribe(
      () => {},
      (error) => {
        if (hasCode(error, "journal.failed")) faults.set(key, error);
      },
    );
    try {
      await nameIt(session, key, origin, parent);
    } catch (error) {
      journal.release();
      if (isNew) journals.discard(journal.id); // perhaps the name without the first line
      throw error;
    }
    remember(key, session, journal);
    return session;
  };

  /** The same object goes on, for all who hold it, unless its journal is gone. */
  const reopenOrOpen = async (key: string, origin: Address | undefined, parent?: Parent): Promise<Session> => {
    const live = known.get(key)?.deref();
    try {
      if (faults.has(key)) journals.prove();
      const goesOn = live !== undefined && (!live.lost || (await live.reopen())) ? live : undefined;
      if (goesOn !== undefined) await nameIt(goesOn, key, origin, parent);
      const session = goesOn ?? (await openAt(key, origin, parent));
      faults.delete(key);
      return session;
    } catch (error) {
      if (hasCode(error, "journal.failed")) faults.set(key, error);
      throw error;
    }
  };

  const open = (key: string, origin: Address | undefined, parent?: Parent): Promise<Session> => {
    const live = known.get(key)?.deref();
    if (live !== undefined && !live.lost && (live.state.key !== "" || origin === undefined)) {
      const item = recent.get(key);
      if (item !== undefined) remember(key, item.session, item.journal);
      return Promise.resolve(live);
    }
    const pending = opening.get(key);
    // Whoever only looks for it opens what has no first line as it is.
    if (pending !== undefined) return origin === undefined ? pending : pending.then(() => open(key, origin, parent));
    if (closed)
      return Promise.reject(
        new RuntimeError("process.stopping", "margay is shutting down. Send the message again after its start."),
      );
    const started = reopenOrOpen(key, origin, parent).finally(() => opening.delete(key));
    opening.set(key, started);
    return started;
  };

  const look = (key: string): Promise<Session | undefined> | undefined => {
    if (journals.has(idOf(key, journals)))
      // A crash came before its first line: there is nothing.
      return open(key, undefined).then((session) => (session.state.seq === 0 ? undefined : session));
    if (faults.has(key)) journals.prove();
    faults.delete(key);
    return undefined;
  };

  const invalidate = (key: string): void => {
    recent.get(key)?.journal.release();
    recent.delete(key);
  };

  return {
    open,
    peek: (key) => known.get(key)?.deref()?.state,
    find: (key) => new Promise((resolve) => resolve(look(key))),
    list: async () => {
      const unknownFrom = await (reached ??= reachedBy(observers));
      const listed = (await summaries.list()).filter(
        ({ key, fault, settled }) => key !== "" || fault !== undefined || settled !== true,
      );
      return listed.map((summary) => {
        if (summary.settled === undefined || summary.updatedAt < unknownFrom || known.has(summary.key)) return summary;
        const { settled: _settled, ...rest } = summary;
        return rest;
      });
    },
    fork: async (key, newKey, seq) => {
      if (!journals.has(idOf(key, journals)))
        throw new RuntimeError(
          "session.missing",
          `There is no session ${key}. List them with \`margay sessions list\`.`,
        );
      const from = idOf(key, journals);
      const commits: Commit[] = [];
      for await (const commit of journals.read(from)) if (seq === undefined || commit.seq <= seq) commits.push(commit);
      const copy = forkable(commits, newKey, from);
      // Nothing waits between this look and the writing.
      const to = idOf(newKey, journals);
      if (journals.has(to))
        throw new RuntimeError("session.exists", `There is a session ${newKey} already. Choose another key.`);
      journals.create(to, copy);
      return open(newKey, undefined);
    },
    remove: async (key) => {
      await opening.get(key)?.catch(() => {});
      invalidate(key);
      known.delete(key);
      faults.delete(key);
      const id = idOf(key, journals);
      if (journals.has(id)) await keepSpending(id, key, journals);
      return journals.remove(id);
    },
    gone: () => goneSessions(journals),
    invalidate,
    fault: () => faults.values().next().value,
    [Symbol.asyncDispose]: async () => {
      closed = true;
      await Promise.allSettled(opening.values());
      const live = [...known.values()].flatMap((item) => item.deref() ?? []);
      for (const session of live) await session[Symbol.asyncDispose]();
      recent.clear();
      for (const observer of observers) await observer.flush();
      await summaries.save();
    },
  };
}

async function reachedBy(observers: readonly CommitObserver[]): Promise<Millis> {
  const times = await Promise.all(observers.flatMap((observer) => observer.reached?.() ?? []));
  return Math.min(Number.POSITIVE_INFINITY, ...times);
}

/** Readable and safe as a file name on every system; the hash keeps `a_b` and `axb`, `A` and `a` apart. */
function idOf(key: string, journals: JournalDirectory): SessionId {
  const slug = key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  return `${slug || "session"}-${journals.hash(key).slice(0, 8)}` as SessionId; // the one place that mints session ids
}

/** Whole turns only: what waits, is asked or is running stays with the original. */
function forkable(commits: readonly Commit[], key: string, from: SessionId): readonly Commit[] {
  let state: SessionState = { ...emptyState("fork" as SessionId), messages: new GrowingList() }; // only to see where a turn is open
  let whole = 0;
  commits.forEach((commit, index) => {
    state = fold(state, commit);
    if (state.turn === undefined && state.pending.length === 0) whole = index + 1;
  });
  return commits.slice(0, whole).map((commit, index) => ({
    ...commit,
    seq: (index + 1) as Seq, // consecutive
    records: commit.records
      .filter(
        // What is delivered there is not delivered here. The copy is of this version from its beginning.
        ({ type }) => !type.startsWith("reply.") && type !== "journal.raised",
      )
      .map((record) =>
        record.type === "session.opened"
          ? { ...record, version: JOURNAL_VERSION, by: RELEASE, key, forked: { from, commits: whole } }
          : record,
      ),
  }));
}

/** What removed sessions had spent. */
export async function goneSessions(journals: JournalDirectory): Promise<readonly GoneSession[]> {
  const gone: GoneSession[] = [];
  // After a crash in the middle the journal is still there, and says it itself.
  for (const one of journals.spent.list()) if ((await openedAt(one.id, journals)) !== one.opened) gone.push(one);
  return gone;
}

/** What cannot be read of a damaged journal is not known. */
async function keepSpending(id: SessionId, key: string, journals: JournalDirectory): Promise<void> {
  const spent: SpentRequest[] = [];
  const opened = await openedAt(id, journals);
  if (opened === undefined) return;
  try {
    for await (const one of spendingOf(journals.read(id))) spent.push(one);
  } catch (error) {
    if (!hasCode(error, "journal.damaged")) throw error;
  }
  if (spent.length > 0) await journals.spent.keep({ id, key, opened, spent: perQuarter(spent) });
}

/** The time of the first commit; undefined when there is none, or none that can be read. */
async function openedAt(id: SessionId, journals: JournalDirectory): Promise<Millis | undefined> {
  if (!journals.has(id)) return undefined;
  try {
    for await (const { at } of journals.read(id)) return at;
  } catch (error) {
    if (!hasCode(error, "journal.damaged")) throw error;
  }
  return undefined;
}
