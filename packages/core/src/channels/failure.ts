/** What becomes of a reply that did not leave: when it is tried again, and when nobody tries any more. */
import type { Clock, Logger, Millis } from "../contract/base.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { QueuedReply } from "../contract/bus.ts";
import { channelFault } from "../lib/errors/channel-fault.ts";
import { heldUntilOpen } from "./windows.ts";
import { messageOf, RuntimeError, toErrorInfo, withoutSecrets } from "../lib/errors/errors.ts";

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 300_000;
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
  const usual = isOurs ? MAX_RETRY_MS : Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, attempt - 1));
  const asked = kind === "slow-down" ? fault?.retryAfterMs : undefined;
  // A little more than was asked, not all at the same moment, and never for longer than a reply is worth.
  const waited = asked === undefined ? usual : Math.ceil(asked * (1 + random() / 10));
  const retryAt = Math.max(now + FIRST_RETRY_MS, Math.min(now + waited, item.queuedAt + retryMs()));
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
