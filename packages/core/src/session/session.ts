/** Journal + state + subscribers: every change is stored, then folded, then published, in that order. */
import type { Millis, Seq } from "../contract/base.ts";
import type { AgentEvent } from "../contract/event.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import type { Session, SessionState } from "../contract/session.ts";
import type { About, Snapshot } from "../contract/store.ts";
import { asyncQueue } from "../lib/async/async-queue.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { RAISED } from "../journal/upgrade.ts";
import {
  type Asked,
  catchUp,
  die,
  type Ledger,
  type Listener,
  refuse,
  reopen,
  type SessionParts,
  show,
  showHeld,
  type Standing,
  take,
  takeAll,
  tell,
  type Unshown,
  waitLonger,
} from "./ledger.ts";
import { durable, keyOf } from "./message-turn.ts";
import { fold } from "./reduce.ts";

/** A session of this folder's store: it can go on after its journal failed. */
export interface StoredSession extends Session {
  /**
   * Goes on with what the journal holds, under the eyes of those who follow. @returns false when that is less than what
   * was shown: another session has to take its place.
   * @throws RuntimeError `journal.failed`, `journal.damaged`.
   */
  reopen(): Promise<boolean>;
  /** As `record`, if there is something to record. */
  recordIf(make: Asked["make"]): Promise<void>;
  /** Of now; undefined while a commit is on its way to the disk, to the observers or to those who follow. */
  snapshot(): Omit<Snapshot, "kept"> | undefined;
}

export function createSession({ before, ...parts }: SessionParts): StoredSession {
  const { initial, journal } = parts;
  const ledger: Ledger = {
    ...parts,
    keys: new Set(),
    listeners: new Map(),
    state: initial,
    asked: [],
    handing: false,
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
      else await ask(ledger, () => records, false).durable.promise;
      return ledger.state;
    },
    commitIf: async (make) => ((await ask(ledger, make, false).durable.promise) ? ledger.state : undefined),
    recordIf: (make) => ask(ledger, make, true).written.promise.then(() => {}),
    record: async (...records) => {
      await ask(ledger, () => records, true).written.promise;
      return ledger.state;
    },
    publish: (event) => {
      const { shown, assigned, asked, held } = ledger;
      const after = assigned + asked.length;
      if (shown < after) ledger.held = [...held, { after, event }];
      else tell(ledger, event);
    },
    subscribe: (listener, failed) => subscribe(ledger, { listener, failed }),
    events: (after, signal) => events(ledger, after, signal),
    history: () => journal.read(),
    reopen: () => reopen(ledger),
    catchUp: () => lookAgain(ledger),
    snapshot: () => {
      const { dead, handing, assigned, observed, shown, version, state, keys } = ledger;
      const isStill = dead === undefined && !handing && observed === assigned && shown === assigned;
      const place = isStill ? journal.place() : undefined;
      return place?.seq === state.seq ? { place, version, state, keys: [...keys] } : undefined;
    },
    [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
  };
}

function showReady(ledger: Ledger): void {
  const { unshown } = ledger;
  const next = unshown.findIndex((item) => !item.ready);
  const ready = next < 0 ? unshown : unshown.slice(0, next);
  ledger.unshown = next < 0 ? [] : unshown.slice(next);
  for (const { commit } of ready) show(ledger, commit);
}

function ask(ledger: Ledger, make: Asked["make"], early: boolean): Asked {
  const asked: Asked = { make, early, written: Promise.withResolvers(), durable: Promise.withResolvers() };
  asked.written.promise.catch(() => {}); // whoever waits for the other hears it
  asked.durable.promise.catch(() => {}); // the session is lost; the next commit says so
  if (ledger.dead !== undefined) refuse(asked, ledger.dead);
  else {
    ledger.stored = asked.durable.promise;
    ledger.asked = ledger.asked.length === 0 ? [asked] : [...ledger.asked, asked];
    hand(ledger);
  }
  return asked;
}

/** A file takes each at once. While another store is asked, what comes meanwhile goes with the next one. */
function hand(ledger: Ledger): void {
  while (!ledger.handing && ledger.asked.length > 0) {
    const { asked } = ledger;
    ledger.asked = [];
    ledger.handing = true;
    const steps = numbered(ledger, asked);
    if (steps.length > 0) void store(ledger, steps);
    else ledger.handing = false;
  }
}

/** A commit on its way, and the state behind it. */
interface Step extends Unshown {
  readonly asked: Asked;
  readonly after: () => SessionState;
}

function numbered(ledger: Ledger, all: readonly Asked[]): readonly Step[] {
  const { clock, keys } = ledger;
  const more = new Set<string>();
  const steps: Step[] = [];
  for (const asked of all) {
    const before = steps.at(-1)?.after ?? (() => ledger.state);
    const given = recordsOf(asked, {
      get state() {
        return before();
      },
      received: (...key) => keys.has(key.join("\n")) || more.has(key.join("\n")),
    });
    if (given === undefined) {
      waitLonger(ledger, ledger.assigned, -1);
      showHeld(ledger);
      continue;
    }
    const records = ledger.old ? [RAISED, ...given] : given;
    ledger.old = false;
    const commit: Commit = { seq: (ledger.assigned + 1) as Seq, at: timeOf(given, clock.now()), records }; // seqs are consecutive
    ledger.assigned = commit.seq;
    if (all.length > 1) for (const record of given) more.add(keyOf(record) ?? "");
    let state: SessionState | undefined;
    steps.push({ commit, ready: asked.early, asked, after: () => (state ??= fold(before(), commit)) });
  }
  return steps;
}

/** @returns undefined when there is nothing to store. */
function recordsOf({ make, written, durable: stored }: Asked, now: Standing): readonly JournalRecord[] | undefined {
  try {
    const records = make(now);
    if (records !== undefined) return records;
    written.resolve(false);
    stored.resolve(false);
  } catch (error) {
    refuse({ written, durable: stored }, error);
  }
  return undefined;
}

/** Stored, then folded, then published: here, and nowhere else. */
async function store(ledger: Ledger, steps: readonly Step[]): Promise<void> {
  const { journal, observers, clock, timer, state: before } = ledger;
  const commits = steps.map(({ commit }) => commit);
  let isWritten = false;
  const onWritten = (): void => {
    if (isWritten) return;
    isWritten = true;
    for (const { commit, after } of steps) take(ledger, commit, after());
    ledger.unshown = [...ledger.unshown, ...steps];
    if (steps.some(({ ready }) => ready)) showReady(ledger);
    for (const { asked } of steps) asked.written.resolve(true);
  };
  const took = timer?.took;
  const begun = took === undefined ? 0 : clock.monotonic();
  try {
    preserve(ledger, commits);
    const about = (): About => ledger.about(before, commits, steps.at(-1)?.after() ?? before);
    const appending = journal.append(before.seq, commits, about, onWritten);
    ledger.handing = !isWritten; // a file that is written and not synced yet takes the next one
    const isAlone = ledger.handing;
    const { status } = await appending;
    if (status === "fenced") throw new RuntimeError("session.fenced", "Another process drives this session now.");
    if (status === "behind") return await again(ledger, steps);
    onWritten(); // a store without a stage before durability
    if (isAlone) ledger.handing = false;
  } catch (error) {
    // Nothing after a failed line may be stored or shown: the session has to be opened again.
    const lost = die(ledger, error);
    for (const { asked } of steps) refuse(asked, lost);
    return;
  }
  took?.(clock.monotonic() - begun);
  for (const step of steps) {
    for (const observer of observers) observer.observe(step.after(), step.commit, false);
    ledger.observed = step.commit.seq;
    step.ready = true;
  }
  showReady(ledger);
  for (const { asked } of steps) asked.durable.resolve(true);
  hand(ledger);
}

/** What an older margay wrote stays as it was, for whoever goes back to it. */
function preserve({ journal, version }: Ledger, [first]: readonly Commit[]): void {
  if (first?.records[0] === RAISED) journal.preserve?.(`version-${version}`);
}

/** Others wrote meanwhile: what they wrote is read and shown, and ours goes behind it, if it still holds then. */
async function again(ledger: Ledger, steps: readonly Step[]): Promise<void> {
  ledger.assigned = ledger.state.seq;
  await catchUp(ledger);
  ledger.asked = [...steps.map(({ asked }) => asked), ...ledger.asked];
  ledger.handing = false;
  hand(ledger);
}

async function lookAgain(ledger: Ledger): Promise<void> {
  if (ledger.handing || ledger.dead !== undefined) return ledger.stored.then(() => {}); // what goes to the journal finds out by itself
  ledger.handing = true;
  try {
    await catchUp(ledger);
  } catch (error) {
    throw die(ledger, error);
  } finally {
    ledger.handing = false;
  }
  hand(ledger);
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
    for await (const commit of ledger.journal.read(after)) {
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

/** What was said elsewhere is as old as it is: its last row counts. */
function timeOf(records: readonly JournalRecord[], now: Millis): Millis {
  const [first] = records;
  const last = first?.type === "history.imported" ? first.messages.at(-1)?.at : undefined;
  return last === undefined || last <= 0 ? now : Math.min(last, now);
}
