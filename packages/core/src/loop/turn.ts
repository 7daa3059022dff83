/** One message in, the events of its turn out: what `agent.send` returns. */
import type { Turn, TurnOutcome } from "../contract/agent.ts";
import type { TurnId } from "../contract/base.ts";
import type { Accepted } from "../contract/bus.ts";
import type { AgentEvent } from "../contract/event.ts";
import type { Session } from "../contract/session.ts";
import { asyncQueue } from "../lib/async/async-queue.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { NO_USAGE } from "../lib/usage.ts";

export interface TurnParts {
  readonly session: Promise<Session>;
  readonly accept: () => Promise<Accepted>;
  /** Stops the turn of a message, or takes it back when it still waits. */
  readonly stop: (session: Session, message: string) => Promise<void>;
  readonly signal: AbortSignal | undefined;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

const WITHDRAWN: TurnOutcome = { text: "", toolsUsed: [], reason: "cancelled", usage: NO_USAGE };

export function openTurn(parts: TurnParts): Turn {
  const queue = asyncQueue<AgentEvent>();
  const finished = follow(parts, queue.push).finally(queue.end);
  // Whoever only reads events must not be hit by a rejection nobody awaits.
  finished.catch(() => {});
  return { finished, [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator]() };
}

async function follow(
  { session: opening, accept, stop, signal, closing }: TurnParts,
  push: (event: AgentEvent) => void,
): Promise<TurnOutcome> {
  const session = await opening;
  const outcome = Promise.withResolvers<TurnOutcome>();
  // The agent may close while the message is still being accepted: nobody awaits the outcome yet, or ever.
  outcome.promise.catch(() => {});
  const early: AgentEvent[] = [];
  let message: string | undefined;
  let turn: TurnId | undefined;

  const take = (event: AgentEvent): void => {
    if (message === undefined) {
      early.push(event);
      return;
    }
    if (event.type === "messages.withdrawn" && turn === undefined && event.ids.includes(message)) {
      push(event);
      outcome.resolve(WITHDRAWN);
      return;
    }
    // The turn that opens with the message, or the running one that places it, is its turn.
    if (event.type === "turn.started" && event.message === message) turn = event.turn;
    if (event.type === "model.requested" && event.placed.includes(message)) turn = event.turn;
    if (event.type === "tool.started" && event.turn === turn) tools.add(event.name);
    push(event);
    if (event.type === "turn.ended" && event.turn === turn) {
      outcome.resolve({
        text: event.text,
        toolsUsed: [...tools],
        reason: event.reason,
        usage: event.usage,
        ...(event.error !== undefined && { error: event.error }),
      });
    }
  };
  const tools = new Set<string>();

  const unsubscribe = session.subscribe(take, outcome.reject);
  const onAbort = (): void => {
    if (message !== undefined) void stop(session, message).catch((error: unknown) => outcome.reject(asError(error)));
  };
  const onClose = (): void =>
    outcome.reject(new RuntimeError("turn.cancelled", "The process is stopping; the turn goes on at the next start."));
  closing.addEventListener("abort", onClose, { once: true });
  if (closing.aborted) onClose(); // It began to close while the session was being opened.
  try {
    if (isAborted(signal)) return WITHDRAWN;
    const accepted = await accept();
    if (accepted.status === "refused") {
      const { reason, until = null } = accepted;
      throw new RuntimeError("inbox.refused", reason, { details: until });
    }
    if (accepted.status === "duplicate" || accepted.message === "") return { ...WITHDRAWN, reason: "done" };
    message = accepted.message;
    for (const event of early.splice(0)) take(event);
    signal?.addEventListener("abort", onAbort, { once: true });
    if (isAborted(signal)) onAbort();
    return await outcome.promise;
  } finally {
    unsubscribe();
    signal?.removeEventListener("abort", onAbort);
    closing.removeEventListener("abort", onClose);
  }
}

/** Read anew each time: it changes while we wait. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
