/** margay's side of one channel: everything that it is handed. */
import type { Clock, Logger, Millis } from "../contract/base.ts";
import type { ChannelHost } from "../contract/channel.ts";
import type { BlobRef } from "../contract/message.ts";
import type { BlobStore } from "../contract/services.ts";
import type { Docs } from "../contract/store.ts";
import { ChannelFault } from "../lib/errors/channel-fault.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { plainName, typeOf } from "../lib/media/media-type.ts";
import { endOfTick } from "../machine/files/files.ts";
import { refusedOn } from "./refused.ts";
import { type ChannelHooks, openCalls } from "./hooks.ts";
import { openLanes } from "./lanes.ts";
import { downloadFrom, MAX_FILE_BYTES } from "./media/download.ts";
import { requestOver } from "./request.ts";
import { channelShelf, openChannelFolder } from "./state.ts";

/** What a channel tells of itself. */
export interface ChannelChange {
  readonly state?: "up";
  /** A part of it does not work: why, and what to do. */
  readonly degraded?: string;
  /** Who we are there. */
  readonly account?: string;
  /** A frame came. */
  readonly alive?: true;
  /** How much of what is said while nobody listens can be had later. */
  readonly history?: "part" | "none";
}

export interface ChannelHostOptions {
  /** The folder that holds one folder for each channel. */
  readonly folder: string;
  /** Where the documents of channels are. Default: files of their folders. */
  readonly docs?: Docs | undefined;
  /** Absent: the channel handles no files. */
  readonly blobs?: () => BlobStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where files of people may be fetched from: `fileHosts` of the manifest, and the host of `baseUrl`. */
  readonly fileHosts?: readonly string[];
  /** `channels.ID.backfillHours`. */
  readonly backfillHours?: number | undefined;
  /** `channels.ID.media.maxBytes`. */
  readonly maxFileBytes?: number | undefined;
  readonly report?: ((id: string, change: ChannelChange) => void) | undefined;
  /** Absent: no platform can call. */
  readonly hooks?: Pick<ChannelHooks, "open">;
}

const HOUR_MS: Millis = 3_600_000;
const BACKFILL_HOURS = 24;

/** More is hashed and written part by part: nobody waits for the event loop until all of it is. */
const PART_BYTES = 1024 * 1024;

/** @returns its beginning too, by which its type is known. */
async function keep(
  store: BlobStore,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<{ readonly blob: BlobRef; readonly head: Uint8Array }> {
  if (bytes instanceof Uint8Array && bytes.length <= PART_BYTES) return { blob: await store.put(bytes), head: bytes };
  const { keepStream } = await import("./media/keep-file.ts");
  return keepStream(store, bytes instanceof Uint8Array ? parts(bytes) : bytes);
}

async function* parts(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    yield bytes.subarray(at, at + PART_BYTES);
    await endOfTick();
  }
}

export function channelHost(id: string, given: ChannelHostOptions): ChannelHost {
  const { folder, docs, blobs, clock, log, report, hooks, fileHosts = [], backfillHours = BACKFILL_HOURS } = given;
  const { maxFileBytes = MAX_FILE_BYTES } = given;
  const state = openChannelFolder(channelShelf(folder, id, docs), clock);
  const store = (): BlobStore => {
    const found = blobs?.();
    if (found === undefined)
      throw new ChannelFault("refused", `Channel ${id} cannot handle files here.`, { sent: "no" });
    return found;
  };
  const history: ChannelHost["history"] = (kept) => report?.(id, { history: kept });
  const http: ChannelHost["http"] = (path, hook) => {
    const opened = hooks?.open(id, path, hook);
    if (opened !== undefined) return opened;
    throw new ChannelFault(
      "config",
      `Channel ${id} is called by its platform, and no gateway runs in this process. Start \`margay gateway\`, and end what runs here.`,
      { sent: "no" },
    );
  };
  return {
    clock,
    log,
    state,
    lanes: (backfill, failed, signal) => {
      const around = { channel: id, clock, log, backMs: backfillHours * HOUR_MS, closed: () => history("part") };
      return openLanes(around, backfill, failed, signal);
    },
    history,
    media: {
      maxBytes: Math.min(maxFileBytes, MAX_FILE_BYTES),
      save: async (bytes, { name, mediaType }) => {
        const { blob, head } = await keep(store(), bytes);
        const named = name === undefined ? {} : { name: plainName(name) };
        return { type: "media", mediaType: typeOf(head, mediaType), blob, ...named };
      },
      open: async ({ blob }) => {
        const blobs = store();
        return (await blobs.open?.(blob)) ?? new Blob([new Uint8Array(await blobs.read(blob))]);
      },
    },
    request: requestOver(clock),
    download: downloadFrom({ hosts: fileHosts, clock, heard: () => report?.(id, { alive: true }) }),
    refused: refusedOn(id, log),
    http,
    calls: (path, hook, signal) => openCalls(http, path, hook, signal),
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
