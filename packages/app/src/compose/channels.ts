/** Ways in and out: the terminal, programs, the browser, webhooks, and the chat platforms of the configuration. */
import { RuntimeError, type Channel, type Clock, type Logger, type MessageBus, type SessionStore } from "@margay/core";
import { type BlobStore, type ChannelSet, createChannelHooks, messageOf } from "@margay/core/internal";
import { openSeenGroups } from "../host/groups.ts";
import type { AudienceAt } from "../host/readers.ts";
import { chatsFor, readerOf } from "../features/hooks/readers.ts";
import { hookChannel } from "../features/hooks/channel.ts";
import { isKnownChannel, ourKinds } from "../config/channel-ids.ts";
import { createChannel } from "../features/channels/list.ts";
import { createRecordedChannel } from "../features/channels/recorded.ts";
import { createTerminalChannel, type TerminalChannel } from "../features/channels/terminal.ts";
import { watchChannels, type WatchedChannels } from "../features/channels/watched.ts";
import type { Config } from "../config/config.ts";
import type { Loaded } from "../config/load.ts";

export interface EntrancesOptions {
  readonly loaded: Loaded;
  /** Those that hold now. */
  readonly hooks: () => Config["gateway"]["hooks"];
  readonly audienceAt: AudienceAt;
  /** As `bus`. */
  readonly sessions: () => SessionStore;
  /** Called when a reply is sent, when the agent exists. */
  readonly bus: () => Pick<MessageBus, "send">;
  /** As `bus`. */
  readonly blobs: () => BlobStore;
  /** Those of what fires by itself. */
  readonly also: readonly Channel[];
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Entrances {
  readonly terminal: TerminalChannel;
  readonly platforms: WatchedChannels;
  /** All of them, for the agent. */
  readonly channels: ChannelSet;
}

export function createEntrances(options: EntrancesOptions): Entrances {
  const { loaded, hooks, audienceAt, sessions, bus, blobs, clock, log } = options;
  const { channelsById: configured } = loaded.config;
  const { home, channels: folder, docs } = loaded.places;
  const seen = openSeenGroups(loaded.places);
  refuseUnknown(configured);
  const terminal = createTerminalChannel();
  const called = createChannelHooks();
  const platforms = watchChannels({
    configured,
    hooks: called,
    create: (id, channel, report) =>
      createChannel(id, channel, { home, folder, docs, blobs, clock, log, report, hooks: called }),
    inGroup: ({ origin, title }) => {
      seen.see(origin, clock.now(), title).catch((error: unknown) => {
        log.warn("groups.not-kept", { channel: origin.channel, message: messageOf(error) }); // the message itself was taken
      });
    },
    clock,
    log,
  });
  const ours: readonly Channel[] = [
    terminal,
    createRecordedChannel("api"),
    createRecordedChannel("web"),
    hookChannel({
      deliver: async ({ chat: name, thread }) => {
        const hook = hooks()[name];
        if (hook === undefined) return [];
        const sources = { audienceAt, sessions: sessions() };
        return chatsFor(thread ?? (await readerOf(hook, sources)), hook, sources);
      },
      bus,
    }),
    ...options.also,
  ];
  return {
    terminal,
    platforms,
    channels: {
      list: () => [...ours, ...platforms.channels.list()],
      get: (id) => ours.find((channel) => channel.id === id) ?? platforms.channels.get(id),
      follow: platforms.channels.follow,
    },
  };
}

/** Nobody would be heard there, and jobs to it would be paid for nobody. @throws RuntimeError `config.invalid`. */
export function refuseUnknown(configured: Config["channelsById"]): void {
  for (const [id, { enabled }] of Object.entries(configured))
    if (enabled && !isKnownChannel(id, configured))
      throw new RuntimeError(
        "config.invalid",
        `channels.${id} is switched on, and there is no such channel; there is ${ourKinds().join(", ")}. Run \`margay config set channels.${id}.enabled false\`.`,
      );
}
