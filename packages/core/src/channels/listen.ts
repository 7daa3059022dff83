/** Every channel at work until the signal aborts; one that breaks is started again and leaves the others alone. */
import type { Clock, Logger, Millis } from "../contract/base.ts";
import type { AgentOptions } from "../contract/agent-options.ts";
import type { ChannelInbox } from "../contract/bus.ts";
import type { Channel, ChannelSet } from "../contract/channel.ts";
import { untilAborted } from "../lib/async/abort.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { withinGrace } from "./grace.ts";
import { withHandle } from "./windows.ts";
import { keepRunning } from "./keep-running.ts";
import type { Leases } from "../contract/store.ts";
import { whileHeld } from "../lib/async/while-held.ts";

export interface ListenOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Pick<Logger, "error">;
  readonly sessionOf: AgentOptions["sessionOf"] | undefined;
  /** Of several processes one is at a platform. Absent: this is the only one. */
  readonly leases?: Leases | undefined;
}

/** Those that are there from the start. */
export function channelSet(channels: readonly Channel[] | ChannelSet): ChannelSet {
  if ("follow" in channels) return channels;
  return {
    list: () => channels,
    get: (id) => channels.find((channel) => channel.id === id),
    follow: () => () => {},
  };
}

export async function listen(
  channels: ChannelSet,
  inbox: ChannelInbox,
  { clock, random, log, sessionOf, leases }: ListenOptions,
  signal: AbortSignal,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const begin = (channel: Channel): void => {
    // Here alone, for all that is said at a platform: nothing behind it asks which conversation it belongs to.
    const placed = <Said extends Parameters<ChannelInbox["admits"]>[0]>(said: Said): Said =>
      sessionOf === undefined ? said : { ...said, sessionKey: sessionOf(said) };
    const accept: ChannelInbox["accept"] = (message) =>
      inbox.accept({ ...placed(withHandle(message, channel.can, clock.now())), fromPlatform: true });
    const edited: ChannelInbox["edited"] = (change) =>
      inbox.edited(placed(withHandle(change, channel.can, clock.now())));
    const admits: ChannelInbox["admits"] = (message) => inbox.admits(placed(message));
    const failed = (error: unknown, pauseMs: Millis | undefined): void =>
      log.error("channel.stopped", {
        channel: channel.id,
        message: messageOf(error),
        ...(pauseMs !== undefined && { pauseMs }),
      });
    const atPlatform = (until: AbortSignal): Promise<void> => channel.run({ ...inbox, accept, edited, admits }, until);
    const run = (until: AbortSignal): Promise<void> => whileHeld(leases, `channel:${channel.id}`, atPlatform, until);
    running.add(keepRunning({ run, clock, random, failed }, signal));
  };
  for (const channel of channels.list()) begin(channel);
  const unfollow = channels.follow(begin);
  await untilAborted(signal); // also when there is none
  unfollow();
  await withinGrace(Promise.all(running), clock); // one that heeds no signal holds nobody up
}
