/** Journal + state + subscribers: every change is stored, then folded, then published, in that order. */
import type { Clock, Millis, Seq } from "../contract/base.ts";
import type { AgentEvent, LiveEvent } from "../contract/event.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { Session, SessionState } from "../contract/session.ts";
import type { EnduringJournal } from "../journal/journal.ts";
import { asyncQueue } from "../lib/async/async-queue.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import type { Snapshot } from "../journal/snapshot.ts";
import { JOURNAL_VERSION, RAISED } from "../journal/upgrade.ts";
import { GrowingList } from "../lib/async/growing-list.ts";
import { durable, keyOf } from "./message-turn.ts";
import { fold } from "./reduce.ts";

export interface SessionParts {
  readonly initial: SessionState;
  readonly journal: EnduringJournal;
  /** What stands in front of the commits that the journal was opened with: the observers have it already. */
  readonly before?: Pick<Snapshot, "state" | "keys" | "version">;
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
  /** Of now; undefined while a commit is on its way to the disk, to the observers or to those who follow. */
  snapshot(): Omit<Snapshot, "kept"> | undefined;
}

/** A commit that is written and not yet shown: a recorded one waits for those before it, a committed one for the disk. */
interface Unshown {
  readonly commit: Commit;
  ready: boolean;
}

/** What commits have come to. */
export interface Taken {
  state: SessionState;
  keys: Set<string>;
  version: number;
}
/** All that changes in a session. */
interface Ledger extends Omit<SessionParts, "before">, Taken {
  readonly listeners: Map<object, Listener>;
  /** Last seq handed to the journal. */
  assigned: Seq;
  /** Last seq that was shown. */
  shown: number;
  /** Last seq that the observers were told of. */
  observed: number;
  /** In order. */
  unshown: readonly Unshown[];
  dead: RuntimeError | undefined;
  /** The last line handed to the journal, when it is on disk. */
  stored: Promise<void>;
  /** Live events that wait for a commit before them to be durable. */
  held: readonly { readonly after: number; readonly event: LiveEvent }[];
  /** An older margay began it, and nothing of this one is in it yet. */
  old: boolean;
}

export function createSession({ before, ...parts }: SessionParts): StoredSession {
  const { initial, journal } = parts;
  const ledger: Ledger = {
    ...parts,
    keys: new Set(),
    listeners: new Map(),
    state: initial,
    assigned: initial.seq,
    shown: initial.seq,
    observed: initial.seq,
    unshown: [],
    dead: undefined,
    stored: Promise.resolve(),
    held: [],
    old: false,
    version: 0,
  };
  takeAll(ledger, journal.takeOpened(), before);
  ledger.shown = ledger.state.seq;
  return {
    get state() {
      return ledger.state;
    },
    get lost() {
      return ledger.dead !== undefined;
    },
    received: (channel, key) => ledger.keys.has(`${channel}\n${key}`),
    commit: async (...records) => {
      if (records.length === 0) await ledger.stored;
      else {
        const { written, durable: done } = append(ledger, records, false);
        written.catch(() => {}); // the same failure as below
        await done;
      }
      return ledger.state;
    },
    record: async (...records) => {
      const { written, durable: later } = append(ledger, records, true);
      later.catch(() => {}); // the session is lost; the next commit says so
      await written;
      return ledger.state;
    },
    publish: (event) => {
      const { shown, assigned, held } = ledger;
      if (shown < assigned) ledger.held = [...held, { after: assigned, event }];
      else tell(ledger, event);
    },
    subscribe: (listener, failed) => subscribe(ledger, { listener, failed }),
    events: (after, signal) => events(ledger, after, signal),
    history: () => journal.read(),
    reopen: () => reopen(ledger),
    snapshot: () => {
      const { dead, assigned, observed, shown, version, state, keys } = ledger;
      const place = dead === undefined && observed === assigned && shown === assigned ? journal.place() : undefined;
      return place?.seq === state.seq ? { place, version, state, keys: [...keys] } : undefined;
    },
    [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
  };
}

export function take(taken: Taken, commit: Commit): void {
  taken.state = fold(taken.state, commit);
  for (const record of commit.records) {
    const key = keyOf(record);
    if (key !== undefined) taken.keys.add(key);
    if ("version" in record) taken.version = record.version;
  }
}

/** @param before What the first of them goes on from. */
function takeAll(ledger: Ledger, commits: readonly Commit[], before?: SessionParts["before"]): void {
  const { initial, observers } = ledger;
  const { state, keys, version } = before ?? { state: initial, keys: [], version: 0 };
  ledger.keys = new Set(keys);
  ledger.version = version;
  ledger.state = { ...state, messages: GrowingList.from(state.messages) };
  for (const commit of commits) {
    take(ledger, commit);
    for (const observer of observers) observer.observe(ledger.state, commit, true);
  }
  ledger.state = { ...ledger.state, messages: [...ledger.state.messages] };
  ledger.assigned = ledger.state.seq;
  ledger.observed = ledger.state.seq;
  ledger.old = ledger.state.seq > 0 && ledger.version < JOURNAL_VERSION;
}

function tell({ listeners }: Ledger, event: AgentEvent): void {
  for (const { listener } of listeners.values()) listener(event);
}

function die(ledger: Ledger, error: unknown): RuntimeError {
  if (ledger.dead !== undefined) return ledger.dead;
  ledger.dead =
    error instanceof RuntimeError
      ? error
      : new RuntimeError("journal.failed", "The journal could not be written.", { cause: error });
  for (const { failed } of ledger.listeners.values()) failed?.(ledger.dead);
  return ledger.dead;
}

function showReady(ledger: Ledger): void {
  const { unshown } = ledger;
  const next = unshown.findIndex((item) => !item.ready);
  const ready = next < 0 ? unshown : unshown.slice(0, next);
  ledger.unshown = next < 0 ? [] : unshown.slice(next);
  for (const { commit } of ready) show(ledger, commit);
}

function show(ledger: Ledger, commit: Commit): void {
  ledger.shown = commit.seq;
  for (const event of durable(commit)) tell(ledger, event);
  const { held, shown } = ledger;
  const ready = held.findIndex((item) => item.after > shown);
  const due = ready < 0 ? held : held.slice(0, ready);
  ledger.held = ready < 0 ? [] : held.slice(ready);
  for (const item of due) tell(ledger, item.event);
}

/** `written`: in the kernel's hands. `durable`: on disk and shown. @param early shown as soon as it is written. */
function append(
  ledger: Ledger,
  given: readonly JournalRecord[],
  early: boolean,
): { readonly written: Promise<void>; readonly durable: Promise<void> } {
  const refused = (error: RuntimeError): ReturnType<typeof append> => ({
    written: Promise.reject(error),
    durable: Promise.reject(error),
  });
  if (ledger.dead !== undefined) return refused(ledger.dead);
  try {
    if (ledger.old) ledger.journal.preserve?.(`version-${ledger.version}`);
  } catch (error) {
    return refused(die(ledger, error));
  }
  const records = ledger.old ? [RAISED, ...given] : given;
  ledger.old = false;
  const expected = ledger.assigned;
  const commit: Commit = { seq: (expected + 1) as Seq, at: timeOf(given, ledger.clock.now()), records }; // seqs are consecutive
  ledger.assigned = commit.seq;
  const written = Promise.withResolvers<void>();
  ledger.stored = store(ledger, expected, { commit, ready: early }, written);
  return { written: written.promise, durable: ledger.stored };
}

/** Stored, then folded, then published: here, and nowhere else. */
async function store(ledger: Ledger, expected: Seq, item: Unshown, written: PromiseWithResolvers<void>): Promise<void> {
  const { journal, observers, clock, timer } = ledger;
  const { commit, ready: early } = item;
  let after: SessionState | undefined;
  const onWritten = (): void => {
    if (after !== undefined) return;
    take(ledger, commit);
    after = ledger.state;
    ledger.unshown = [...ledger.unshown, item];
    if (early) showReady(ledger);
    written.resolve();
  };
  const took = timer?.took;
  const begun = took === undefined ? 0 : clock.monotonic();
  try {
    await journal.append(expected, commit, onWritten);
  } catch (error) {
    // Nothing after a failed line may be stored or shown: the session has to be opened again.
    const lost = die(ledger, error);
    written.reject(lost);
    throw lost;
  }
  onWritten(); // a store without a stage before durability
  took?.(clock.monotonic() - begun);
  for (const observer of observers) observer.observe(after ?? ledger.state, commit, false);
  ledger.observed = commit.seq;
  item.ready = true;
  showReady(ledger);
}

function subscribe({ listeners }: Ledger, listener: Listener): () => void {
  const id = {};
  listeners.set(id, listener);
  return () => void listeners.delete(id);
}

async function* events(ledger: Ledger, after: Seq, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  const queue = asyncQueue<AgentEvent>(signal);
  let failure: Error | undefined;
  const failed = (error: Error): void => {
    failure = error;
    queue.end();
  };
  const unsubscribe = subscribe(ledger, { listener: queue.push, failed });
  let last: number = after;
  try {
    for await (const commit of ledger.journal.read()) {
      if (commit.seq <= last || commit.seq > ledger.shown) continue;
      last = commit.seq;
      yield* durable(commit);
    }
    // What was committed while the journal was read came both ways.
    for await (const event of queue) if (!("seq" in event) || event.seq > last) yield event;
    if (failure !== undefined) throw failure;
  } finally {
    unsubscribe();
  }
}

async function reopen(ledger: Ledger): Promise<boolean> {
  const commits = await ledger.journal.reopen();
  if (commits.length < ledger.shown || commits.length === 0) return false;
  takeAll(ledger, commits);
  ledger.unshown = [];
  ledger.stored = Promise.resolve();
  ledger.dead = undefined;
  for (const commit of commits.slice(ledger.shown)) show(ledger, commit);
  return true;
}

/** What was said elsewhere is as old as it is: its last row counts. */
function timeOf(records: readonly JournalRecord[], now: Millis): Millis {
  const [first] = records;
  const last = first?.type === "history.imported" ? first.messages.at(-1)?.at : undefined;
  return last === undefined || last <= 0 ? now : Math.min(last, now);
}
