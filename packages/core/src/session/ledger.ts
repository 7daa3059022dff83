/** What a session is made of, and how it goes on from commits that were read: when it is opened, and when others wrote meanwhile. */
import type { Clock, Millis, Seq } from "../contract/base.ts";
import type { AgentEvent, LiveEvent } from "../contract/event.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { Session, SessionState } from "../contract/session.ts";
import type { About, Journal, Snapshot } from "../contract/store.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { GrowingList } from "../lib/async/growing-list.ts";
import { JOURNAL_VERSION } from "../journal/upgrade.ts";
import { durable, keyOf } from "./message-turn.ts";
import { fold } from "./reduce.ts";

export interface SessionParts {
  readonly initial: SessionState;
  readonly journal: Journal;
  /** What stands in front of the commits that the journal was opened with: the observers have it already. */
  readonly before?: Pick<Snapshot, "state" | "keys" | "version">;
  readonly clock: Clock;
  readonly observers: readonly CommitObserver[];
  readonly timer?: CommitTimer;
  /** @param before What the commits go on from, to `after`. */
  readonly about: (before: SessionState, commits: readonly Commit[], after: SessionState) => About;
}

export interface CommitTimer {
  /** Told how long a commit took from being handed to the journal to being on disk. Undefined: nobody wants to know. */
  readonly took: ((ms: Millis) => void) | undefined;
}

export interface Listener {
  readonly listener: (event: AgentEvent) => void;
  readonly failed: ((error: Error) => void) | undefined;
}

/** A commit that is written and not yet shown: a recorded one waits for those before it, a committed one for the disk. */
export interface Unshown {
  readonly commit: Commit;
  ready: boolean;
}

/** What the records of a commit go on from. */
export type Standing = Pick<Session, "state" | "received">;

/** Records to be stored; where others write too they may have to be made, and numbered, again. */
export interface Asked {
  readonly make: (now: Standing) => readonly JournalRecord[] | undefined;
  /** Shown as soon as it is written. */
  readonly early: boolean;
  /** In the kernel's hands. False: there was nothing to store. */
  readonly written: PromiseWithResolvers<boolean>;
  /** On disk and shown. */
  readonly durable: PromiseWithResolvers<boolean>;
}

/** What commits have come to. */
export interface Taken {
  state: SessionState;
  keys: Set<string>;
  version: number;
}

/** All that changes in a session. */
export interface Ledger extends Omit<SessionParts, "before">, Taken {
  readonly listeners: Map<object, Listener>;
  /** What nothing was handed to the journal of yet, in order, and whether something is on its way that nothing may overtake. */
  asked: readonly Asked[];
  handing: boolean;
  /** Last seq handed to the journal. */
  assigned: Seq;
  /** Last seq that was shown. */
  shown: number;
  /** Last seq that the observers were told of. */
  observed: number;
  /** In order. */
  unshown: readonly Unshown[];
  dead: RuntimeError | undefined;
  /** What was asked for last, when it is on disk. */
  stored: Promise<unknown>;
  /** Live events that wait for a commit before them to be durable. */
  held: readonly { readonly after: number; readonly event: LiveEvent }[];
  /** An older margay began it, and nothing of this one is in it yet. */
  old: boolean;
}

/** @param after The state behind it, where somebody has folded it already. */
export function take(taken: Taken, commit: Commit, after: SessionState = fold(taken.state, commit)): void {
  taken.state = after;
  for (const record of commit.records) {
    const key = keyOf(record);
    if (key !== undefined) taken.keys.add(key);
    if ("version" in record) taken.version = record.version;
  }
}

/** @param before What the first of them goes on from. */
export function takeAll(ledger: Ledger, commits: readonly Commit[], before?: SessionParts["before"]): void {
  const { initial } = ledger;
  const { state, keys, version } = before ?? { state: initial, keys: [], version: 0 };
  ledger.keys = new Set(keys);
  ledger.version = version;
  ledger.state = state;
  takeRead(ledger, commits);
}

/** Commits that stand in the journal behind the state. */
function takeRead(ledger: Ledger, commits: readonly Commit[]): void {
  ledger.state = { ...ledger.state, messages: GrowingList.from(ledger.state.messages) };
  for (const commit of commits) {
    take(ledger, commit);
    for (const observer of ledger.observers) observer.observe(ledger.state, commit, true);
  }
  ledger.state = { ...ledger.state, messages: [...ledger.state.messages] };
  ledger.assigned = ledger.state.seq;
  ledger.observed = ledger.state.seq;
  ledger.old = ledger.state.seq > 0 && ledger.version < JOURNAL_VERSION;
}

/** What others wrote meanwhile: nothing of ours is on its way. */
export async function catchUp(ledger: Ledger): Promise<void> {
  const { journal, state } = ledger;
  const commits: Commit[] = [];
  for await (const commit of journal.read(state.seq)) commits.push(commit);
  if (commits.length === 0) return;
  waitLonger(ledger, state.seq, commits.length);
  takeRead(ledger, commits);
  for (const commit of commits) show(ledger, commit);
}

/** What waits for a commit behind `seq` waits for one that has another number now. */
export function waitLonger(ledger: Ledger, seq: number, by: number): void {
  ledger.held = ledger.held.map((item) => (item.after > seq ? { ...item, after: item.after + by } : item));
}

/** @returns false when the journal holds less than what was shown. */
export async function reopen(ledger: Ledger): Promise<boolean> {
  const commits = await ledger.journal.reopen();
  if (commits.length < ledger.shown || commits.length === 0) return false;
  takeAll(ledger, commits);
  ledger.unshown = [];
  ledger.handing = false;
  ledger.stored = Promise.resolve();
  ledger.dead = undefined;
  for (const commit of commits.slice(ledger.shown)) show(ledger, commit);
  return true;
}

export function tell({ listeners }: Ledger, event: AgentEvent): void {
  for (const { listener } of listeners.values()) listener(event);
}

export function show(ledger: Ledger, commit: Commit): void {
  ledger.shown = commit.seq;
  for (const event of durable(commit)) tell(ledger, event);
  showHeld(ledger);
}

export function showHeld(ledger: Ledger): void {
  const { held, shown } = ledger;
  const ready = held.findIndex((item) => item.after > shown);
  const due = ready < 0 ? held : held.slice(0, ready);
  ledger.held = ready < 0 ? [] : held.slice(ready);
  for (const item of due) tell(ledger, item.event);
}

export function die(ledger: Ledger, error: unknown): RuntimeError {
  if (ledger.dead !== undefined) return ledger.dead;
  ledger.dead = failureOf(error);
  for (const { failed } of ledger.listeners.values()) failed?.(ledger.dead);
  for (const asked of ledger.asked) refuse(asked, ledger.dead);
  ledger.asked = [];
  return ledger.dead;
}

export function refuse({ written, durable: stored }: Pick<Asked, "written" | "durable">, error: unknown): void {
  written.reject(error);
  stored.reject(error);
}

function failureOf(error: unknown): RuntimeError {
  return error instanceof RuntimeError
    ? error
    : new RuntimeError("journal.failed", "The journal could not be written.", { cause: error });
}
