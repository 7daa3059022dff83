/** Journal + state + subscribers: every change is stored, then folded, then published, in that order. */
import type { Clock, Seq } from "../contract/base.ts";
import type { AgentEvent, DurableEvent } from "../contract/event.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import type { CommitObserver, Journal } from "../contract/services.ts";
import type { Session, SessionState } from "../contract/session.ts";
import { asyncQueue } from "../lib/async-queue.ts";
import { RuntimeError } from "../lib/errors.ts";
import { fold } from "./reduce.ts";
import { upgrade } from "./upgrade.ts";

export interface SessionParts {
  readonly initial: SessionState;
  readonly journal: Journal;
  /** What the journal holds already. */
  readonly opened: readonly Commit[];
  readonly clock: Clock;
  readonly observers: readonly CommitObserver[];
}

export function createSession({ initial, journal, opened, clock, observers }: SessionParts): Session {
  const keys = new Set<string>();
  const listeners = new Set<(event: AgentEvent) => void>();
  let state = initial;
  /** Last seq handed to the journal; ahead of `state.seq` while lines are being synced. */
  let assigned = initial.seq;
  let dead: RuntimeError | undefined;

  const take = (commit: Commit, replayed: boolean): void => {
    state = fold(state, commit);
    for (const record of commit.records)
      if (record.type === "message.received" || record.type === "command.handled") keys.add(keyOf(record));
    for (const observer of observers) observer.observe(state, commit, replayed);
  };

  for (const commit of opened) take(upgrade(commit), true);
  assigned = state.seq;

  return {
    get state() {
      return state;
    },
    get lost() {
      return dead !== undefined;
    },
    received: (channel, key) => keys.has(`${channel}\n${key}`),
    commit: async (...records) => {
      if (dead !== undefined) throw dead;
      const expected = assigned;
      const commit: Commit = { seq: (expected + 1) as Seq, at: clock.now(), records }; // seqs are consecutive
      assigned = commit.seq;
      try {
        await journal.append(expected, commit);
      } catch (error) {
        // Nothing after a failed line may be stored, folded or shown: the session has to be opened again.
        dead ??=
          error instanceof RuntimeError
            ? error
            : new RuntimeError("journal.failed", "The journal could not be written.", { cause: error });
        throw dead;
      }
      take(commit, false);
      for (const event of durable(commit)) for (const listener of listeners) listener(event);
      return state;
    },
    publish: (event) => {
      for (const listener of listeners) listener(event);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    events: async function* (after, signal) {
      const queue = asyncQueue<AgentEvent>(signal);
      listeners.add(queue.push);
      let last: number = after;
      try {
        for await (const commit of journal.read()) {
          if (commit.seq <= last || commit.seq > state.seq) continue;
          last = commit.seq;
          yield* durable(commit);
        }
        // What was committed while the journal was read came both ways.
        for await (const event of queue) if (!("seq" in event) || event.seq > last) yield event;
      } finally {
        listeners.delete(queue.push);
      }
    },
    history: () => journal.read(),
    [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
  };
}

function keyOf(record: Extract<JournalRecord, { type: "message.received" | "command.handled" }>): string {
  return record.type === "message.received" ? `${record.origin.channel}\n${record.key}` : record.key;
}

/** The commit as events, one per record. */
export function durable(commit: Commit): readonly DurableEvent[] {
  return commit.records.map((record) => ({ ...record, seq: commit.seq, at: commit.at }));
}
