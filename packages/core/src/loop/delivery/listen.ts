/** Every channel at work until the signal aborts; one that breaks is started again and leaves the others alone. */
import type { Clock, Logger } from "../../contract/base.ts";
import type { Channel, Inbox } from "../../contract/bus.ts";
import { untilAborted } from "../../lib/async/abort.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import { keepRunning } from "./keep-running.ts";

export interface ListenOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Pick<Logger, "error">;
}

export async function listen(
  channels: readonly Channel[],
  inbox: Inbox,
  { clock, random, log }: ListenOptions,
  signal: AbortSignal,
): Promise<void> {
  const received: Inbox = { accept: (message) => inbox.accept({ ...message, fromPlatform: true }) };
  await Promise.all([
    untilAborted(signal), // also when there is none
    ...channels.map((channel) =>
      keepRunning(
        {
          run: (until) => channel.run(received, until),
          clock,
          random,
          failed: (error, pauseMs) =>
            log.error("channel.stopped", {
              channel: channel.id,
              message: messageOf(error),
              ...(pauseMs !== undefined && { pauseMs }),
            }),
        },
        signal,
      ),
    ),
  ]);
}
