/** What becomes of a message that was refused, on every platform alike. */
import type { Logger } from "../contract/base.ts";
import type { ChannelHost } from "../contract/channel.ts";
import { ChannelFault } from "../lib/errors/channel-fault.ts";
import { messageOf } from "../lib/errors/errors.ts";

export function refusedOn(channel: string, log: Pick<Logger, "warn">): ChannelHost["refused"] {
  return async ({ reason, until, answer }, { chat, where, say, signal }) => {
    // There will be room, or the stop is taken back.
    if (until !== undefined) throw new ChannelFault("again", `${reason}. The message waits ${where}.`);
    if (answer === undefined || chat !== "private") return;
    await say(answer).catch((error: unknown) => {
      signal.throwIfAborted();
      log.warn("channel.answer-failed", { channel, message: messageOf(error) });
    });
  };
}
