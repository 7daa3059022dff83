/**
 * "is typing…" in the chat that a turn works for, or a reaction below the message where there is none. Best effort: no reply waits for
 * it, and nothing of it is tried again.
 */
import type { Clock, JsonObject, Logger } from "../contract/base.ts";
import type { KnownHandle } from "../contract/bus.ts";
import type { Channel } from "../contract/channel.ts";
import type { Address } from "../contract/message.ts";
import type { Session, SessionState, TurnState } from "../contract/session.ts";
import { raceAbort, untilAborted } from "../lib/async/abort.ts";
import { isGroup } from "../lib/audience.ts";
import { ChannelFault } from "../lib/errors/channel-fault.ts";
import { messageOf } from "../lib/errors/errors.ts";

export interface TypingOptions {
  readonly channel: (id: string) => Channel | undefined;
  readonly clock: Clock;
  readonly log: Pick<Logger, "debug" | "warn">;
  /** Aborts when the agent closes: a wait would hold the process open. */
  readonly closing: AbortSignal;
}

/** Who still sees nothing after that does not believe it any more. */
const MAX_MS = 300_000;
/** Of how long a platform shows one signal: the next comes before it is gone. */
const RENEWED_AT = 0.8;

/** A reaction that took longer than this is not waited for. */
const REACTION_MS = 10_000;

/** What is typed for. It stays when typing ended by itself, so that the next event does not begin it again. */
interface Typed {
  readonly work: string | undefined;
  readonly over: AbortController;
  /** Nothing of it is on its way any more. */
  readonly gone: Promise<void>;
}

/** The message that somebody waits for an answer to, as its platform calls it. */
type Asked = Pick<KnownHandle, "from" | "key">;

/** @returns what looks at a session after each of its records. */
export function createTyping(options: TypingOptions): (session: Session) => void {
  const typed = new WeakMap<Session, Typed>();
  const told = new Set<string>();
  return (session) => {
    const { work, to } = workOf(session.state) ?? {};
    const before = typed.get(session);
    if (before?.work === work) return;
    before?.over.abort(new Error("it is over"));
    if (work === undefined || to === undefined) {
      if (before !== undefined) typed.set(session, { ...before, work });
      return;
    }
    const over = new AbortController();
    const asked = session.state.handles?.find(({ id }) => id === work);
    const show = (): Promise<void> => showWork(to, asked, over.signal, { ...options, told });
    // It must not overtake what is taken away.
    typed.set(session, { work, over, gone: before === undefined ? show() : before.gone.then(show) });
  };
}

async function showWork(
  to: Address,
  asked: Asked | undefined,
  over: AbortSignal,
  { channel: find, clock, log, closing, told }: TypingOptions & { readonly told: Set<string> },
): Promise<void> {
  const channel = find(to.channel);
  const until = AbortSignal.any([closing, over]);
  if (channel === undefined || until.aborted) return;
  const about = (error: unknown): JsonObject => ({ channel: channel.id, message: messageOf(error) });
  try {
    if (await keepTyping(channel, to, until, clock)) return;
  } catch (error) {
    if (until.aborted) return;
    log.debug("typing.failed", about(error));
  }
  try {
    await keepReaction(channel, asked, until, { clock, closing });
  } catch (error) {
    if (closing.aborted) return;
    // Somebody has asked for it, and sees nothing: once.
    log[told.has(channel.id) ? "debug" : "warn"]("ack.failed", about(error));
    told.add(channel.id);
  }
}

/** @returns false: there is none. @throws it is refused. */
async function keepTyping(channel: Channel, to: Address, until: AbortSignal, clock: Clock): Promise<boolean> {
  const { typingMs } = channel.can;
  if (channel.typing === undefined || typingMs === undefined) return false;
  const late = new AbortController();
  using _late = clock.timer(MAX_MS, () => late.abort(new Error("it takes too long")));
  const signal = AbortSignal.any([until, late.signal]);
  try {
    // One at a time: a platform that is slow gets no second signal beside the first.
    while (!signal.aborted)
      await Promise.all([raceAbort(channel.typing(to, signal), signal), clock.sleep(typingMs * RENEWED_AT, signal)]);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return true;
}

/** Until it is over, however long that takes. After a crash the turn goes on, sets it anew, and takes it away. */
async function keepReaction(
  channel: Channel,
  asked: Asked | undefined,
  until: AbortSignal,
  { clock, closing }: Pick<TypingOptions, "clock" | "closing">,
): Promise<void> {
  const { ack } = channel.can;
  if (channel.react === undefined || ack === undefined || asked?.key === undefined) return;
  const { key, from } = asked;
  const react = async (isOn: boolean): Promise<void> => {
    const late = new AbortController();
    using _late = clock.timer(REACTION_MS, () => late.abort(new Error("it takes too long")));
    const signal = AbortSignal.any([closing, late.signal]);
    await raceAbort(channel.react?.(key, ack, isOn, from, signal) ?? Promise.resolve(), signal);
  };
  try {
    await react(true);
  } catch (error) {
    if (error instanceof ChannelFault && error.sent === "no") throw error;
  }
  await untilAborted(until);
  // A process that ends leaves it: the turn is not over.
  if (closing.aborted) return;
  await react(false).catch(async (error: unknown) => {
    const { kind, retryAfterMs = 1000 } = error instanceof ChannelFault ? error : {};
    // What is set next waits for it.
    if (kind !== "slow-down" || retryAfterMs > REACTION_MS) throw error;
    await clock.sleep(retryAfterMs, closing);
    await react(false);
  });
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
