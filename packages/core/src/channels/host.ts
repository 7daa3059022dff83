/** margay's side of one channel: everything that it is handed. */
import { join } from "node:path";
import type { Clock, Logger } from "../contract/base.ts";
import type { ChannelHost } from "../contract/channel.ts";
import type { BlobStore } from "../contract/services.ts";
import { ChannelFault } from "../lib/errors/channel-fault.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { plainName, typeOf } from "../lib/media/media-type.ts";
import { requestOver } from "./request.ts";
import { openChannelFolder } from "./state.ts";

/** What a channel tells of itself. */
export interface ChannelChange {
  readonly state?: "up";
  /** A part of it does not work: why, and what to do. */
  readonly degraded?: string;
  /** Who we are there. */
  readonly account?: string;
  /** A frame came. */
  readonly alive?: true;
}

export interface ChannelHostOptions {
  /** The folder that holds one folder for each channel. */
  readonly folder: string;
  /** Absent: the channel handles no files. */
  readonly blobs?: () => BlobStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly report?: ((id: string, change: ChannelChange) => void) | undefined;
}

export function channelHost(id: string, { folder, blobs, clock, log, report }: ChannelHostOptions): ChannelHost {
  const state = openChannelFolder(join(folder, id), clock);
  const store = (): BlobStore => {
    const found = blobs?.();
    if (found === undefined)
      throw new ChannelFault("refused", `Channel ${id} cannot handle files here.`, { sent: "no" });
    return found;
  };
  return {
    clock,
    log,
    state,
    media: {
      save: async (bytes, { name, mediaType }) => ({
        type: "media",
        mediaType: typeOf(bytes, mediaType),
        blob: await store().put(bytes),
        ...(name !== undefined && { name: plainName(name) }),
      }),
      read: ({ blob }) => store().read(blob),
    },
    request: requestOver(clock),
    fault: (kind, message, options) => new ChannelFault(kind, message, options),
    alive: () => report?.(id, { alive: true }),
    up: (account) => report?.(id, { state: "up", ...(account !== undefined && { account }) }),
    degraded: (reason) => report?.(id, { degraded: reason }),
    deadLetter: (frame, error) => {
      state.deadLetter(frame);
      log.warn("channel.dead-letter", { channel: id, message: messageOf(error) });
    },
  };
}
