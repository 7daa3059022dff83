/** Journal + state + subscribers: every change is stored, then folded, then published, in that order. */
import type { Clock, Millis, Seq } from "../contract/base.ts";
import type { AgentEvent, DurableEvent, LiveEvent } from "../contract/event.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { Session, SessionState } from "../contract/session.ts";
import type { EnduringJournal } from "../journal/journal.ts";
import { asyncQueue } from "../lib/async/async-queue.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { JOURNAL_VERSION, RAISED, versionOf } from "../journal/upgrade.ts";
import { GrowingList } from "./growing-list.ts";
import { fold } from "./reduce.ts";

export interface SessionParts {
  readonly initial: SessionState;
  readonly journal: EnduringJournal;
  readonly clock: Clock;
  readonly observers: readonly CommitObserver[];
  readonly timer?: CommitTimer;
}

interface Listener {
  readonly listener: (event: AgentEvent) => void;
  readonly failed: ((error: Error) => void) | undefined;
}

export interface CommitTimer {
  /** Told how long a commit took from being handed to the journal to being on disk. Undefined: nobody wants to know. */
  readonly took: ((ms: Millis) => void) | undefined;
}

/** A session of this folder's store: it can go on after its journal failed. */
export interface StoredSession extends Session {
  /**
   * Goes on with what the journal holds, under the eyes of those who follow. @returns false when that is less than what
   * was shown: another session has to take its place.
   * @throws RuntimeError `journal.failed`, `journal.damaged`.
   */
  reopen(): Promise<boolean>;
}

export function createSession({ initial, journal, clock, observers, timer }: SessionParts): StoredSession {
  const keys = new Set<string>();
  const listeners = new Map<object, Listener>();
  let state = initial;
  /** Last seq handed to the journal. */
  let assigned = initial.seq;
  /** Last seq that was shown. */
  let shown: number = initial.seq;
  /** Written and not yet shown, in order: a recorded one waits for those before it, a committed one for the disk. */
  let unshown: { readonly commit: Commit; ready: boolean }[] = [];
  let dead: RuntimeError | undefined;
  /** The last line handed to the journal, when it is on disk. */
  let stored: Promise<void> = Promise.resolve();
  /** Live events that wait for a commit before them to be durable. */
  let held: { readonly after: number; readonly event: LiveEvent }[] = [];

  const take = (commit: Commit): void => {
    state = fold(state, commit);
    for (const record of commit.records) {
      const key = keyOf(record);
      if (key !== undefined) keys.add(key);
    }
  };

  /** An older margay began it, and nothing of this one is in it yet. */
  let old = false;
  let version = 0;
  const takeAll = (commits: readonly Commit[]): void => {
    keys.clear();
    state = { ...initial, messages: GrowingList.from(initial.messages) };
    for (const commit of commits) {
      take(commit);
      for (const observer of observers) observer.observe(state, commit, true);
    }
    state = { ...state, messages: [...state.messages] };
    assigned = state.seq;
    version = versionOf(commits);
    old = commits.length > 0 && version < JOURNAL_VERSION;
  };
  takeAll(journal.takeOpened());
  shown = state.seq;

  const tell = (event: AgentEvent): void => {
    for (const { listener } of listeners.values()) listener(event);
  };

  const die = (error: unknown): RuntimeError => {
    if (dead !== undefined) return dead;
    dead = failureOf(error);
    for (const { failed } of listeners.values()) failed?.(dead);
    return dead;
  };

  const showReady = (): void => {
    const next = unshown.findIndex((item) => !item.ready);
    const ready = next < 0 ? unshown : unshown.slice(0, next);
    unshown = next < 0 ? [] : unshown.slice(next);
    for (const { commit } of ready) show(commit);
  };

  const show = (commit: Commit): void => {
    shown = commit.seq;
    for (const event of durable(commit)) tell(event);
    const ready = held.findIndex((item) => item.after > shown);
    const due = ready < 0 ? held : held.slice(0, ready);
    held = ready < 0 ? [] : held.slice(ready);
    for (const item of due) tell(item.event);
  };

  /** `written`: in the kernel's hands. `durable`: on disk and shown. @param early shown as soon as it is written. */
  const append = (
    given: readonly JournalRecord[],
    early: boolean,
  ): { readonly written: Promise<void>; readonly durable: Promise<void> } => {
    if (dead !== undefined) return { written: Promise.reject(dead), durable: Promise.reject(dead) };
    if (old) {
      try {
        journal.preserve?.(`version-${version}`);
      } catch (error) {
        const lost = die(error);
        return { written: Promise.reject(lost), durable: Promise.reject(lost) };
      }
    }
    const records = old ? [RAISED, ...given] : given;
    old = false;
    const expected = assigned;
    const commit: Commit = { seq: (expected + 1) as Seq, at: timeOf(given, clock.now()), records }; // seqs are consecutive
    assigned = commit.seq;
    const written = Promise.withResolvers<void>();
    const item = { commit, ready: early };
    let after = state;
    let taken = false;
    const onWritten = (): void => {
      if (taken) return;
      taken = true;
      take(commit);
      after = state;
      unshown.push(item);
      if (early) showReady();
      written.resolve();
    };
    const took = timer?.took;
    const begun = took === undefined ? 0 : clock.monotonic();
    const done = journal.append(expected, commit, onWritten).then(
      () => {
        onWritten(); // a store without a stage before durability
        took?.(clock.monotonic() - begun);
        for (const observer of observers) observer.observe(after, commit, false);
        item.ready = true;
        showReady();
      },
      (error: unknown) => {
        // Nothing after a failed line may be stored or shown: the session has to be opened again.
        const lost = die(error);
        written.reject(lost);
        throw lost;
      },
    );
    stored = done;
    return { written: written.promise, durable: done };
  };

  const subscribe: Session["subscribe"] = (listener, failed) => {
    const id = {};
    listeners.set(id, { listener, failed });
    return () => void listeners.delete(id);
  };

  return {
    get state() {
      return state;
    },
    get lost() {
      return dead !== undefined;
    },
    received: (channel, key) => keys.has(`${channel}\n${key}`),
    commit: async (...records) => {
      if (records.length === 0) {
        await stored;
        return state;
      }
      const { written, durable: done } = append(records, false);
      written.catch(() => {}); // the same failure as below
      await done;
      return state;
    },
    record: async (...records) => {
      const { written, durable: later } = append(records, true);
      later.catch(() => {}); // the session is lost; the next commit says so
      await written;
      return state;
    },
    publish: (event) => {
      if (shown < assigned) held.push({ after: assigned, event });
      else tell(event);
    },
    subscribe,
    events: async function* (after, signal) {
      const queue = asyncQueue<AgentEvent>(signal);
      let failure: Error | undefined;
      const unsubscribe = subscribe(queue.push, (error) => {
        failure = error;
        queue.end();
      });
      let last: number = after;
      try {
        for await (const commit of journal.read()) {
          if (commit.seq <= last || commit.seq > shown) continue;
          last = commit.seq;
          yield* durable(commit);
        }
        // What was committed while the journal was read came both ways.
        for await (const event of queue) if (!("seq" in event) || event.seq > last) yield event;
        if (failure !== undefined) throw failure;
      } finally {
        unsubscribe();
      }
    },
    history: () => journal.read(),
    reopen: async () => {
      const commits = await journal.reopen();
      if (commits.length < shown || commits.length === 0) return false;
      takeAll(commits);
      unshown = [];
      stored = Promise.resolve();
      dead = undefined;
      for (const commit of commits.slice(shown)) show(commit);
      return true;
    },
    [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
  };
}

/** What was said elsewhere is as old as it is: its last row counts. */
function timeOf(records: readonly JournalRecord[], now: Millis): Millis {
  const [first] = records;
  const last = first?.type === "history.imported" ? first.messages.at(-1)?.at : undefined;
  return last === undefined || last <= 0 ? now : Math.min(last, now);
}

function failureOf(error: unknown): RuntimeError {
  return error instanceof RuntimeError
    ? error
    : new RuntimeError("journal.failed", "The journal could not be written.", { cause: error });
}

/** What must not be accepted a second time. */
function keyOf(record: JournalRecord): string | undefined {
  if (record.type === "message.received") return `${record.origin.channel}\n${record.key}`;
  if (record.type === "message.posted") return `${record.from.id}\n${record.reply}`;
  return record.type === "command.handled" || record.type === "control.handled" ? record.key : undefined;
}

/** The commit as events, one per record. */
export function durable(commit: Commit): readonly DurableEvent[] {
  return commit.records.map((record) => ({ ...record, seq: commit.seq, at: commit.at }));
}
