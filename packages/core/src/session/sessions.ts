/** key → session: open, find, list, fork, remove. Journals in a directory, one file per session. */
import type { Clock, Millis, Seq, SessionId } from "../contract/base.ts";
import type { Address } from "../contract/message.ts";
import type { Commit } from "../contract/record.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { Session, SessionState, SessionStore } from "../contract/session.ts";
import { RuntimeError } from "../lib/errors.ts";
import type { JournalDirectory, OpenedJournal } from "../journal/directory.ts";
import { emptyState, fold } from "./reduce.ts";
import { createSession, type CommitTimer } from "./session.ts";
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
  /** Drops a session from the cache; whoever holds it keeps the same one (R176). */
  invalidate(key: string): void;
}

export function openSessions(options: SessionsOptions): CachedSessions {
  const { journals, clock, timer, cached = 64 } = options;
  const summaries = createSummaries(journals);
  const observers = [...(options.observers ?? []), summaries.observer];
  /** Keeps one object per session while anybody holds it (SS5); `recent` keeps the last ones alive. */
  const known = new Map<string, WeakRef<Session>>();
  const recent = new Map<string, { readonly session: Session; readonly journal: OpenedJournal }>();
  const opening = new Map<string, Promise<Session>>();
  /** The time from which on commits may be unknown to an observer. */
  let reached: Promise<Millis> | undefined;
  let closed = false;

  const remember = (key: string, session: Session, journal: OpenedJournal): void => {
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

  const openAt = async (key: string, origin: Address | undefined, parent?: Parent): Promise<Session> => {
    const journal = journals.open(idOf(key, journals));
    const session = createSession({
      initial: emptyState(journal.id),
      journal,
      opened: journal.takeOpened(),
      clock,
      observers,
      ...(timer !== undefined && { timer }),
    });
    if (session.state.seq === 0 && origin !== undefined)
      await session.commit({
        type: "session.opened",
        version: 1,
        key,
        origin,
        ...(parent !== undefined && { parent }),
      });
    remember(key, session, journal);
    return session;
  };

  const open = (key: string, origin: Address | undefined, parent?: Parent): Promise<Session> => {
    const live = known.get(key)?.deref();
    if (live !== undefined && !live.lost) {
      const item = recent.get(key);
      if (item !== undefined) remember(key, item.session, item.journal);
      return Promise.resolve(live);
    }
    const pending = opening.get(key);
    if (pending !== undefined) return pending;
    if (closed)
      return Promise.reject(
        new RuntimeError("process.stopping", "margay is shutting down. Send the message again after its start."),
      );
    const started = openAt(key, origin, parent).finally(() => opening.delete(key));
    opening.set(key, started);
    return started;
  };

  const invalidate = (key: string): void => {
    recent.get(key)?.journal.release();
    recent.delete(key);
  };

  return {
    open,
    find: (key) => (journals.has(idOf(key, journals)) ? open(key, undefined) : Promise.resolve(undefined)),
    list: async () => {
      const unknownFrom = await (reached ??= reachedBy(observers));
      return (await summaries.list()).map((summary) => {
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
      if (journals.has(idOf(newKey, journals)))
        throw new RuntimeError("session.exists", `There is a session ${newKey} already. Choose another key.`);
      const commits: Commit[] = [];
      for await (const commit of journals.read(idOf(key, journals)))
        if (seq === undefined || commit.seq <= seq) commits.push(commit);
      const target = journals.open(idOf(newKey, journals));
      for (const commit of forkable(commits, newKey, idOf(key, journals)))
        await target.append((commit.seq - 1) as Seq, commit); // consecutive
      target.release();
      return open(newKey, undefined);
    },
    remove: async (key) => {
      await opening.get(key)?.catch(() => {});
      invalidate(key);
      known.delete(key);
      return journals.remove(idOf(key, journals));
    },
    invalidate,
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

/** Readable and safe as a file name on every system; the hash keeps `a_b` and `axb`, `A` and `a` apart (SS7). */
function idOf(key: string, journals: JournalDirectory): SessionId {
  const slug = key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  return `${slug || "session"}-${journals.hash(key).slice(0, 8)}` as SessionId; // the one place that mints session ids
}

/** Whole turns only: what waits, is asked or is running stays with the original (SS12). */
function forkable(commits: readonly Commit[], key: string, from: SessionId): readonly Commit[] {
  let state = emptyState("fork" as SessionId); // only to see where a turn is open
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
        (record) =>
          record.type !== "reply.queued" && record.type !== "reply.delivered" && record.type !== "reply.failed",
      )
      .map((record) =>
        record.type === "session.opened" ? { ...record, key, forked: { from, commits: whole } } : record,
      ),
  }));
}
