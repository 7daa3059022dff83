/** What happened in a session, from its journal, and what happens: without a gap and nothing twice. */
import type { Seq } from "../contract/base.ts";
import type { AgentEvent, DurableEvent } from "../contract/event.ts";
import type { Commit } from "../contract/record.ts";
import type { Session } from "../contract/session.ts";
import { asyncQueue } from "../lib/async/async-queue.ts";

export interface EventSource extends Pick<Session, "history" | "subscribe"> {
  /** The last commit that was shown. */
  readonly shown: () => number;
  readonly durable: (commit: Commit) => readonly DurableEvent[];
}

export async function* events(
  { history, subscribe, shown, durable }: EventSource,
  after: Seq,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const queue = asyncQueue<AgentEvent>(signal);
  let failure: Error | undefined;
  const failed = (error: Error): void => {
    failure = error;
    queue.end();
  };
  const unsubscribe = subscribe(queue.push, failed);
  let last: number = after;
  try {
    for await (const commit of history()) {
      if (commit.seq <= last || commit.seq > shown()) continue;
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
