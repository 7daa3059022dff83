/** One message of a schedule into its own session, and how its turn ended: also when an earlier process sent it. */
import type { Audience } from "../contract/people.ts";
import type { Agent } from "../contract/agent.ts";
import type { Clock, Millis, Seq } from "../contract/base.ts";
import type { ContentPart, Marks, Sender } from "../contract/message.ts";
import type { EndReason, ErrorInfo } from "../contract/record.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { followMessage, type MessageOutcome } from "../loop/follow-message.ts";

/** A turn that was told to stop gets this long to reach a commit. */
const STOP_MS = 60_000;

/** What the services of this folder use of an agent. */
export type ScheduleHost = Pick<Agent, "bus" | "sessions" | "control" | "wake" | "ask">;

export interface ScheduledMessage {
  /** The same key is accepted once, ever: this is what makes a due time run at most once. */
  readonly key: string;
  readonly channel: string;
  readonly chat: string;
  readonly sessionKey: string;
  readonly from: Sender;
  readonly parts: readonly ContentPart[];
  readonly marks?: Marks;
  /** As `InboundMessage.audience`. */
  readonly audience?: Audience;
  /** As `InboundMessage.agent`. */
  readonly agent?: string | null;
}
export interface TurnEnd {
  readonly reason: EndReason | "withdrawn";
  readonly text: string;
  readonly error?: ErrorInfo;
}

/** @throws RuntimeError `inbox.refused`; `signal.reason` when aborted, and the turn goes on by itself. */
export async function followTurn(host: ScheduleHost, message: ScheduledMessage, signal: AbortSignal): Promise<TurnEnd> {
  const { key, channel, chat, sessionKey, from, parts, marks, audience, agent } = message;
  const origin = { channel, chat };
  const session = await host.sessions.open(sessionKey, origin);
  const followed = followMessage(session, { key, channel }, { signal });
  try {
    const accepted = await host.bus.accept({
      key,
      origin,
      from,
      parts,
      sessionKey,
      attended: false,
      ...(marks !== undefined && { marks }),
      ...(audience !== undefined && { audience }),
      ...(agent !== undefined && { agent }),
    });
    if (accepted.status === "refused") throw new RuntimeError("inbox.refused", accepted.reason, { retryable: true });
    if (accepted.status === "accepted") return endOf(await followed.outcome);
  } finally {
    followed.leave();
  }
  host.wake(sessionKey);
  const before = followMessage(session, { key, channel }, { after: 0 as Seq, signal }); // it may have ended long ago
  return endOf(await before.outcome);
}

function endOf(outcome: MessageOutcome): TurnEnd {
  if (outcome.withdrawn) return { reason: "withdrawn", text: "" };
  const { reason, text, error } = outcome.turn;
  return { reason, text, ...(error !== undefined && { error }) };
}

export interface Deadline {
  readonly clock: Clock;
  readonly timeoutMs: Millis;
}

/** The same with a bound: the turn is stopped when its time is up. */
export async function followFor(
  host: ScheduleHost,
  message: ScheduledMessage,
  { clock, timeoutMs }: Deadline,
  signal: AbortSignal,
): Promise<TurnEnd & { readonly expired: boolean }> {
  const ended = new AbortController();
  const gaveUp = new AbortController();
  const over = AbortSignal.any([ended.signal, signal]);
  let expired = false;
  const stopLate = async (): Promise<void> => {
    await clock.sleep(Math.max(0, timeoutMs), over);
    expired = true;
    await host.control(message.sessionKey, { type: "stop", withdraw: true }, message.from);
    await clock.sleep(STOP_MS, over);
    gaveUp.abort(new RuntimeError("tool.timeout", "The turn did not stop when its time was up."));
  };
  const deadline = stopLate().catch(() => {}); // it ended in time
  try {
    const end = await followTurn(host, message, AbortSignal.any([signal, gaveUp.signal]));
    return { ...end, expired };
  } finally {
    ended.abort(new Error("ended"));
    await deadline;
  }
}
