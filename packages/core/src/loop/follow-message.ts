/** Follows one message to the end of the turn that answers it: steered into a running turn, or found after a restart. */
import type { TurnOutcome } from "../contract/agent.ts";
import type { Seq } from "../contract/base.ts";
import type { AgentEvent } from "../contract/event.ts";
import type { Session } from "../contract/session.ts";
import { asyncQueue } from "../lib/async/async-queue.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { isOfTurn, messageTurn, type MessageTurn } from "../session/message-turn.ts";

/** `withdrawn`: it was taken back before a turn took it. */
export type MessageOutcome = { readonly withdrawn: false; readonly turn: TurnOutcome } | { readonly withdrawn: true };

/** The events from the message's arrival to the end of its turn, without those of other turns. Not reading them loses nothing. */
export interface FollowedMessage extends AsyncIterable<AgentEvent> {
  /** Rejects when the session is lost, and with `signal.reason`. */
  readonly outcome: Promise<MessageOutcome>;
  /** What was seen of it so far. */
  readonly at: MessageTurn;
  /** Nobody listens any more: the events end, and the outcome stays open. */
  readonly leave: () => void;
}

export interface MessageKey {
  /** Of the inbox. */
  readonly key: string;
  readonly channel: string;
}

/** @param options `after`: from behind this commit of the journal; absent: from now on. `signal` ends the following, not the turn. */
export function followMessage(
  session: Session,
  { key, channel }: MessageKey,
  { after, signal }: { readonly after?: Seq; readonly signal?: AbortSignal } = {},
): FollowedMessage {
  const queue = asyncQueue<AgentEvent>();
  const outcome = Promise.withResolvers<MessageOutcome>();
  outcome.promise.catch(() => {}); // whoever only reads events must not be hit by a rejection that nobody awaits
  const left = new AbortController();
  let at: MessageTurn = { status: "unseen", key, channel };

  const leave = (): void => {
    unsubscribe();
    signal?.removeEventListener("abort", onAbort);
    left.abort(new Error("left"));
    queue.end();
  };
  const take = (event: AgentEvent): void => {
    at = messageTurn(at, event);
    if (at.status === "unseen" || ("turn" in event && !isOfTurn(at, event))) return;
    queue.push(event);
    if (at.status !== "ended" && at.status !== "withdrawn") return;
    outcome.resolve(at.status === "ended" ? { withdrawn: false, turn: at.outcome } : { withdrawn: true });
    leave();
  };
  const fail = (error: unknown): void => {
    outcome.reject(error);
    leave();
  };
  const onAbort = (): void => fail(signal?.reason);
  const unsubscribe = after === undefined ? session.subscribe(take, fail) : (): void => {};
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  else if (after !== undefined)
    readOn(session, after, left.signal, take).then(() => left.signal.aborted || fail(endedEarly()), fail);
  return {
    outcome: outcome.promise,
    get at() {
      return at;
    },
    leave,
    [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator](),
  };
}

async function readOn(
  session: Session,
  after: Seq,
  signal: AbortSignal,
  take: (event: AgentEvent) => void,
): Promise<void> {
  for await (const event of session.events(after, signal)) take(event);
}

function endedEarly(): RuntimeError {
  return new RuntimeError("session.fenced", "The events of the session ended before its turn did.");
}
