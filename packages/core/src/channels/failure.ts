/** What becomes of a reply that did not leave: when it is tried again, and when nobody tries any more. */
import type { Clock, Logger, Millis } from "../contract/base.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { QueuedReply } from "../contract/bus.ts";
import { channelFault } from "../lib/errors/channel-fault.ts";
import { backoff } from "./keep-running.ts";
import { heldUntilOpen } from "./windows.ts";
import { messageOf, RuntimeError, toErrorInfo, withoutSecrets } from "../lib/errors/errors.ts";

const LEAST_MS = 1000;
/** Looked at now and then: as after so many attempts. */
const MANY = 10;
/** Attempts at a reply that the channel fails at by itself, and at one that the platform answers with an error. */
const MAX_BUGS = 3;
const MAX_REFUSALS = 10;

export interface FailureOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  /** `channels.retryHours` in milliseconds. */
  readonly retryMs: () => Millis;
  readonly redact: (text: string) => string;
}

export interface FailedSend {
  readonly item: QueuedReply;
  /** The number of the piece that did not leave, from 1. */
  readonly piece: number;
  /** Of this channel. */
  readonly channel: string;
  readonly error: unknown;
  /** What it was to leave with. */
  readonly handle?: string | undefined;
}

/** Says it to the log too. `slowed`: the platform asked for everything of this channel to wait until then. */
export function failureOf(
  { item, piece, channel, error, handle }: FailedSend,
  { clock, random, log, retryMs, redact }: FailureOptions,
): { readonly record: JournalRecord; readonly slowed?: Millis } {
  const fault = channelFault(error);
  const kind = fault?.kind ?? "fault";
  if (kind === "window") return { record: heldUntilOpen(item, handle, clock.now(), retryMs()) };
  const answered = fault?.answered === true;
  const isOurs = kind === "auth" || kind === "config"; // waits for a person, and is looked at now and then
  const attempt = item.attempt + (kind === "slow-down" || isOurs ? 0 : 1);
  const now = clock.now();
  const over =
    kind === "refused" ||
    kind === "gone" ||
    now - item.queuedAt >= retryMs() ||
    (kind === "fault" && (item.bugs ?? 0) + 1 >= MAX_BUGS) ||
    (answered && (item.refusals ?? 0) + 1 >= MAX_REFUSALS);
  const asked = fault?.retryAfterMs;
  const waited = backoff(isOurs ? MANY : attempt, asked === undefined ? undefined : random, asked);
  // Never for longer than a reply is worth.
  const retryAt = Math.max(now + LEAST_MS, Math.min(now + waited, item.queuedAt + retryMs()));
  log[kind === "fault" ? "error" : "warn"]("reply.failed", {
    reply: item.reply,
    channel,
    attempt,
    message: messageOf(error),
    again: !over,
    ...(kind === "fault" && error instanceof Error && { stack: redact(error.stack ?? "") }),
  });
  return {
    record: {
      type: "reply.failed",
      reply: item.reply,
      piece,
      kind,
      sent: fault?.sent ?? "maybe",
      ...(answered && { answered }),
      error: withoutSecrets(toErrorInfo(error instanceof RuntimeError ? error : (fault ?? error)), redact),
      attempt,
      ...(!over && { retryAt }),
    },
    ...(kind === "slow-down" && fault?.scope === "channel" && { slowed: retryAt }),
  };
}
