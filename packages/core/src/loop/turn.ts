/** One message in, the events of its turn out: what `agent.send` returns. */
import type { Turn, TurnOutcome } from "../contract/agent.ts";
import type { Accepted } from "../contract/bus.ts";
import type { Session } from "../contract/session.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { NO_USAGE } from "../lib/usage.ts";
import { followMessage, type FollowedMessage, type MessageKey } from "./follow-message.ts";

export interface TurnParts {
  readonly session: Promise<Session>;
  /** Of the message that `accept` hands in. */
  readonly key: MessageKey;
  readonly accept: () => Promise<Accepted>;
  /** Stops the turn of a message, or takes it back when it still waits. */
  readonly stop: (session: Session, message: string) => Promise<void>;
  readonly signal: AbortSignal | undefined;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

const WITHDRAWN: TurnOutcome = { text: "", toolsUsed: [], reason: "cancelled", usage: NO_USAGE };

export function openTurn(parts: TurnParts): Turn {
  const followed = parts.session.then((session) => followMessage(session, parts.key));
  const finished = finish(parts, followed);
  // Whoever only reads events must not be hit by a rejection nobody awaits.
  finished.catch(() => {});
  followed.catch(() => {});
  return {
    finished,
    async *[Symbol.asyncIterator]() {
      const events = await followed.catch(() => []); // `finished` says why
      yield* events;
    },
  };
}

async function finish(
  { session: opening, accept, stop, signal, closing }: TurnParts,
  following: Promise<FollowedMessage>,
): Promise<TurnOutcome> {
  const session = await opening;
  const followed = await following;
  const failure = Promise.withResolvers<never>();
  // The agent may close while the message is still being accepted: nobody awaits the failure yet, or ever.
  failure.promise.catch(() => {});
  let message: string | undefined;
  const onAbort = (): void => {
    if (message !== undefined) void stop(session, message).catch((error: unknown) => failure.reject(asError(error)));
  };
  const onClose = (): void =>
    failure.reject(new RuntimeError("turn.cancelled", "The process is stopping; the turn goes on at the next start."));
  closing.addEventListener("abort", onClose, { once: true });
  if (closing.aborted) onClose(); // It began to close while the session was being opened.
  try {
    if (isAborted(signal)) return WITHDRAWN;
    const accepted = await accept();
    if (accepted.status === "refused") {
      const { reason, until = null } = accepted;
      throw new RuntimeError("inbox.refused", reason, { details: until });
    }
    if (accepted.status !== "accepted" || accepted.message === "") return { ...WITHDRAWN, reason: "done" };
    ({ message } = accepted);
    signal?.addEventListener("abort", onAbort, { once: true });
    if (isAborted(signal)) onAbort();
    const outcome = await Promise.race([followed.outcome, failure.promise]);
    return outcome.withdrawn ? WITHDRAWN : outcome.turn;
  } finally {
    followed.leave();
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
