/** Ways in and out: the terminal, programs, the browser, webhooks, and the chat platforms of the configuration. */
import type { Channel, Clock, Logger, MessageBus } from "@margay/core";
import { hookChannel } from "./channels/hook.ts";
import { CHANNEL_IDS, createChannel } from "./channels/list.ts";
import { createRecordedChannel } from "./channels/recorded.ts";
import { createTerminalChannel, type TerminalChannel } from "./channels/terminal.ts";
import { watchChannels, type WatchedChannels } from "./channels/watched.ts";
import type { Config } from "./config/config.ts";
import type { Loaded } from "./config/load.ts";

export interface EntrancesOptions {
  readonly loaded: Loaded;
  /** Those that hold now. */
  readonly hooks: () => Config["gateway"]["hooks"];
  /** Called when a reply is sent, when the agent exists. */
  readonly bus: () => Pick<MessageBus, "send">;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Entrances {
  readonly terminal: TerminalChannel;
  readonly platforms: WatchedChannels;
  /** All of them, for the agent. */
  readonly channels: readonly Channel[];
}

export function createEntrances({ loaded, hooks, bus, clock, log }: EntrancesOptions): Entrances {
  const { channelsById: configured } = loaded.config;
  for (const [id, { enabled }] of Object.entries(configured))
    if (enabled && !CHANNEL_IDS.includes(id)) log.warn("channel.unknown", { channel: id });
  const terminal = createTerminalChannel();
  const platforms = watchChannels({
    kinds: CHANNEL_IDS,
    configured,
    create: (id, channel, report) => createChannel(id, channel, { clock, log, report }),
    clock,
    log,
  });
  return {
    terminal,
    platforms,
    channels: [
      terminal,
      createRecordedChannel("api"),
      createRecordedChannel("web"),
      hookChannel({ deliver: (hook) => hooks()[hook]?.deliver ?? [], bus }),
      ...platforms.channels,
    ],
  };
}
