/** What went wrong with the Bot API, in the words of the host: whether it is tried again, and what a person can do. */
import type { ChannelHost } from "@margay/core/plugin";
import { NoAnswer, Refusal } from "./api.ts";

/** What is no error of the Bot API comes back as it is. */
export function faultOf(error: unknown, host: ChannelHost): unknown {
  if (error instanceof NoAnswer)
    return host.fault("again", `Telegram cannot be reached: ${error.message}. It is tried again.`, {
      cause: error,
      sent: error.sent,
    });
  return error instanceof Refusal ? refusalOf(error, host) : error;
}

function refusalOf(error: Refusal, host: ChannelHost): Error {
  const { code, message, retryAfterMs } = error;
  const no = { cause: error, sent: "no" } as const;
  // 404 is a token that was never one, or a server that is none.
  if (code === 401 || code === 404)
    return host.fault(
      "auth",
      `Telegram does not know this bot: ${message}. Get its token from @BotFather and set it again.`,
      no,
    );
  if (code === 403 || isGone(message))
    return host.fault(
      "gone",
      `Telegram does not let us write there: ${message}. The chat has to let the bot in again.`,
      { ...no, answered: true },
    );
  if (code === 429)
    return host.fault("slow-down", `Telegram asks to wait: ${message}.`, {
      ...no,
      scope: "chat",
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  if (code === 409)
    return host.fault(
      "again",
      `Somebody else reads the messages of this bot too, with the same token: ${message}. End the other program, or make a bot of its own for it.`,
      no,
    );
  if (code >= 500) return host.fault("again", `Telegram has an error of its own: ${message}. It is tried again.`, no);
  return host.fault("refused", `Telegram refused it: ${message}.`, { ...no, answered: true });
}

function isGone(message: string): boolean {
  return /chat not found|PEER_ID_INVALID|user is deactivated/i.test(message);
}
