/** "is typing…" in the chat that a turn works for. Best effort: nothing waits for it, and nothing of it is tried again. */
import type { Clock, Logger } from "../contract/base.ts";
import type { Channel } from "../contract/channel.ts";
import type { Address } from "../contract/message.ts";
import type { Session, SessionState, TurnState } from "../contract/session.ts";
import { raceAbort } from "../lib/async/abort.ts";
import { isGroup } from "../lib/audience.ts";
import { messageOf } from "../lib/errors/errors.ts";

export interface TypingOptions {
  readonly channel: (id: string) => Channel | undefined;
  readonly clock: Clock;
  readonly log: Pick<Logger, "debug">;
  /** Aborts when the agent closes: a wait would hold the process open. */
  readonly closing: AbortSignal;
}

/** Who still sees nothing after that does not believe it any more. */
const MAX_MS = 300_000;
/** Of how long a platform shows one signal: the next comes before it is gone. */
const RENEWED_AT = 0.8;

/** What is typed for. It stays when typing ended by itself, so that the next event does not begin it again. */
interface Typed {
  readonly work: string;
  readonly over: AbortController;
}

/** @returns what looks at a session after each of its records. */
export function createTyping(options: TypingOptions): (session: Session) => void {
  const typed = new WeakMap<Session, Typed>();
  return (session) => {
    const { work, to } = workOf(session.state) ?? {};
    const before = typed.get(session);
    if (before?.work === work) return;
    before?.over.abort(new Error("it is over"));
    typed.delete(session);
    if (work === undefined || to === undefined) return;
    const over = new AbortController();
    typed.set(session, { work, over });
    void keepTyping(to, AbortSignal.any([options.closing, over.signal]), options);
  };
}

async function keepTyping(
  to: Address,
  until: AbortSignal,
  { channel: find, clock, log }: TypingOptions,
): Promise<void> {
  const channel = find(to.channel);
  const { typingMs } = channel?.can ?? {};
  if (channel?.typing === undefined || typingMs === undefined) return;
  const late = new AbortController();
  using _late = clock.timer(MAX_MS, () => late.abort(new Error("it takes too long")));
  const signal = AbortSignal.any([until, late.signal]);
  try {
    // One at a time: a platform that is slow gets no second signal beside the first.
    while (!signal.aborted)
      await Promise.all([raceAbort(channel.typing(to, signal), signal), clock.sleep(typingMs * RENEWED_AT, signal)]);
  } catch (error) {
    if (!signal.aborted) log.debug("typing.failed", { channel: channel.id, message: messageOf(error) });
  }
}

/** What a person waits for here, and where: from their message to the first words, as long as it does not wait for a person. */
function workOf({ turn, pending: [next], audience, live }: SessionState): { work: string; to: Address } | undefined {
  const isAsked = !isGroup(audience) || (turn ?? next)?.speaker !== undefined; // in a group only for who asked there
  if (!isAsked) return undefined;
  if (turn === undefined)
    return next?.message.from.kind === "person" ? { work: next.message.id, to: next.replyTo } : undefined;
  const { replyTo: to } = turn;
  // A job and a heartbeat are nothing that somebody waits for.
  return turn.steerable && !turn.cancelled && !hasSpoken(turn) && live?.turn !== turn.id && !isWaiting(turn)
    ? { work: turn.opening ?? turn.id, to }
    : undefined;
}

/** The first reply: what the turn itself has sent here. */
function hasSpoken({ sent, replyTo }: TurnState): boolean {
  return sent.some(
    ({ to }) => to.channel === replyTo.channel && to.chat === replyTo.chat && to.thread === replyTo.thread,
  );
}

function isWaiting({ calls, questions = [] }: TurnState): boolean {
  return calls.some(({ status }) => status === "asked") || questions.some(({ late }) => late !== true);
}
