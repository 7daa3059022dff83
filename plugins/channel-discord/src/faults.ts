/** What went wrong with Discord, in the words of the host: whether it is tried again, and what a person can do. */
import type { ChannelHost } from "@margay/core/plugin";
import { NoAnswer, Refusal } from "./rest.ts";

/** Missing access, missing permissions, no private messages, no such channel: no later attempt cures these. */
const GONE = [10_003, 50_001, 50_007, 50_013];

/** What is no error of Discord comes back as it is. */
export function faultOf(error: unknown, host: ChannelHost): unknown {
  if (error instanceof NoAnswer)
    return host.fault("again", `Discord cannot be reached: ${error.message}. It is tried again.`, {
      cause: error,
      sent: error.sent,
    });
  return error instanceof Refusal ? refusalOf(error, host) : error;
}

/** Whether a channel is none of ours any more. */
export function isGone(error: unknown): error is Refusal {
  return error instanceof Refusal && GONE.includes(error.code);
}

function refusalOf(error: Refusal, host: ChannelHost): Error {
  const { status, message, retryAfterMs, isGlobal } = error;
  const no = { cause: error, sent: "no" } as const;
  if (status === 401)
    return host.fault(
      "auth",
      `Discord does not know this bot: ${message}. Reset its token in the developer portal and set it again.`,
      no,
    );
  if (isGone(error))
    return host.fault(
      "gone",
      `Discord does not let us write there: ${message}. The bot needs a channel that exists, and the right to write in it.`,
      { ...no, answered: true },
    );
  if (status === 429)
    return host.fault("slow-down", `Discord asks to wait: ${message}. It is sent after that.`, {
      ...no,
      scope: isGlobal ? "channel" : "chat",
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  // A server that failed may have done it before.
  if (status >= 500)
    return host.fault("again", `Discord has an error of its own: ${message}. It is tried again.`, {
      cause: error,
      sent: "maybe",
    });
  return host.fault("refused", `Discord refused it: ${message}. Change what is sent.`, { ...no, answered: true });
}
