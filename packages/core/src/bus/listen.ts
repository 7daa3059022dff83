/** Every channel at work until the signal aborts; one that breaks leaves the others alone. */
import type { Logger } from "../contract/base.ts";
import type { Channel, Inbox } from "../contract/bus.ts";
import { untilAborted } from "../lib/abort.ts";
import { messageOf } from "../lib/errors.ts";

export async function listen(
  channels: readonly Channel[],
  inbox: Inbox,
  log: Pick<Logger, "error">,
  signal: AbortSignal,
): Promise<void> {
  const running = channels.map((each) =>
    each
      .run(inbox, signal)
      .catch((error: unknown) => log.error("channel.stopped", { channel: each.id, message: messageOf(error) })),
  );
  await untilAborted(signal);
  await Promise.all(running);
}
