/** key → session: open, find, list, fork, remove. Journals in a directory, one file per session. */
import type { Clock, Seq, SessionId } from "../contract/base.ts";
import type { Address } from "../contract/message.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { Session, SessionState, SessionStore, SessionSummary } from "../contract/session.ts";
import { RuntimeError, toErrorInfo } from "../lib/errors.ts";
import { ellipsis } from "../lib/truncate.ts";
import type { JournalDirectory, OpenedJournal } from "../journal/directory.ts";
import { emptyState, fold } from "./reduce.ts";
import { createSession } from "./session.ts";

export interface SessionsOptions {
  readonly journals: JournalDirectory;
  readonly clock: Clock;
  readonly observers?: readonly CommitObserver[];
  /** Sessions kept folded in memory although nobody holds them. */
  readonly cached?: number;
}

const TITLE_CHARS = 60;
type Parent = NonNullable<SessionState["parent"]>;

export interface CachedSessions extends SessionStore {
  /** Drops a session from the cache; whoever holds it keeps the same one (R176). */
  invalidate(key: string): void;
}

export function openSessions({ journals, clock, observers = [], cached = 64 }: SessionsOptions): CachedSessions {
  /** Keeps one object per session while anybody holds it (SS5); `recent` keeps the last ones alive. */
  const known = new Map<string, WeakRef<Session>>();
  const recent = new Map<string, { readonly session: Session; readonly journal: OpenedJournal }>();
  const opening = new Map<string, Promise<Session>>();
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
      const summaries: SessionSummary[] = [];
      for (const id of journals.list())
        summaries.push(await summarize(id, journals).catch((error: unknown) => unreadable(id, error)));
      return summaries.sort((a, b) => b.updatedAt - a.updatedAt);
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
    },
  };
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

async function summarize(id: SessionId, journals: JournalDirectory): Promise<SessionSummary> {
  let state = emptyState(id);
  let title = "";
  for await (const commit of journals.read(id)) {
    state = fold(state, commit);
    if (title === "") title = firstLine(commit.records);
  }
  return { id, key: state.key, createdAt: state.createdAt, updatedAt: state.updatedAt, title, rows: state.rows };
}

/** One damaged journal must not hide the others: it is listed with what is wrong with it. */
function unreadable(id: SessionId, error: unknown): SessionSummary {
  return { id, key: "", createdAt: 0, updatedAt: 0, title: "", rows: 0, fault: toErrorInfo(error) };
}

function firstLine(records: readonly JournalRecord[]): string {
  for (const record of records) {
    const messages =
      record.type === "message.received" ? [record.message] : record.type === "history.imported" ? record.messages : [];
    for (const message of messages) {
      if (message.role !== "user") continue;
      const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join(" ");
      const line = text.trim().split("\n")[0]?.trim() ?? "";
      if (line !== "") return ellipsis(line, TITLE_CHARS);
    }
  }
  return "";
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
