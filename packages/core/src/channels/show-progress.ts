/** A word beside the answer, in a message of its own. Best effort. */
import type { Clock, Logger } from "../contract/base.ts";
import type { OutboundMessage } from "../contract/bus.ts";
import type { Channel } from "../contract/channel.ts";
import { raceAbort } from "../lib/async/abort.ts";
import { messageOf } from "../lib/errors/errors.ts";
import type { Pacer } from "./pacer.ts";

interface ShowOptions {
  readonly channel: (id: string) => Channel | undefined;
  readonly clock: Clock;
  readonly log: Pick<Logger, "debug">;
  readonly pacer: Pick<Pacer, "spare">;
}

/** A reply waits no longer for it. */
const PROGRESS_MS = 10_000;

export async function showProgress(
  message: OutboundMessage,
  { channel: find, clock, log, pacer }: ShowOptions,
  closing: AbortSignal,
): Promise<void> {
  const channel = find(message.to.channel);
  if (channel === undefined || channel.can.progress === false) return;
  if (pacer.spare(channel, { to: message.to, audience: undefined }) > 0) return; // in groups there is none
  const over = new AbortController();
  const until = AbortSignal.any([closing, over.signal]);
  const sent = channel.send(message, until);
  sent.catch(() => {}); // told below, or nobody waits any more
  void clock.sleep(PROGRESS_MS, until).then(
    () => over.abort(new Error("it took too long")),
    () => {},
  );
  try {
    await raceAbort(sent, until);
  } catch (error) {
    log.debug("progress.failed", { channel: channel.id, message: messageOf(error) });
  } finally {
    over.abort(new Error("shown"));
  }
}
