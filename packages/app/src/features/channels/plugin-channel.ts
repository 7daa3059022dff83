/** A channel whose plugin is loaded when it first receives or sends: a start costs nothing for a platform nobody uses. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Channel, type Clock, type Json, type Logger, RuntimeError } from "@margay/core";
import {
  type BlobStore,
  ChannelFault,
  type ChannelHost,
  type ChannelPlugin,
  checkInput,
  isRecord,
  messageOf,
  openChannelFolder,
} from "@margay/core/internal";
import { shortName } from "../../models/known-plugins.ts";
import type { PluginPlace } from "../../models/plugin-locate.ts";
import type { ChannelChange, ChannelConfig, ChannelKind } from "./kinds.ts";

export interface PluginChannelDeps {
  /** The folder that holds one folder for each channel. */
  readonly folder: string;
  readonly blobs?: () => BlobStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly report?: ((id: string, change: ChannelChange) => void) | undefined;
}
type Kind = ChannelKind & { readonly place: PluginPlace };

/** @throws RuntimeError `config.invalid`: a setting is missing or wrong. */
export function pluginChannel(id: string, kind: Kind, config: ChannelConfig, deps: PluginChannelDeps): Channel {
  const settings = settingsFor(id, kind, config);
  const host = hostOf(id, deps);
  let made: Promise<Channel> | undefined;
  const channel = (): Promise<Channel> => {
    // A failed load is tried again: the plugin may have been installed anew.
    made ??= loadChannelPlugin(kind.place).then(({ create }) => create({ id, settings }, host));
    made.catch(() => (made = undefined));
    return made;
  };
  return {
    id,
    can: kind.can,
    run: async (inbox, signal) => (await channel()).run(inbox, signal),
    send: async (piece, signal) => (await channel()).send(piece, signal),
    ...(kind.can.once === "lookup" && {
      findSent: async (piece, since, signal) => (await channel()).findSent?.(piece, since, signal),
    }),
  };
}

/** @throws RuntimeError `plugin.invalid`: it cannot be imported, or is no channel. */
export async function loadChannelPlugin(place: PluginPlace): Promise<ChannelPlugin> {
  const again = `Install it again with \`margay plugin add ${shortName(place.package)}\`.`;
  let plugin: unknown;
  try {
    const module: unknown = await import(pathToFileURL(place.entry).href);
    plugin = isRecord(module) ? module["plugin"] : undefined;
  } catch (error) {
    throw new RuntimeError(
      "plugin.invalid",
      `The package ${place.package} cannot be loaded: ${messageOf(error)}. ${again}`,
      {
        cause: error,
      },
    );
  }
  if (!isRecord(plugin) || plugin["contract"] !== "channel/1" || typeof plugin["create"] !== "function")
    throw new RuntimeError(
      "plugin.invalid",
      `The package ${place.package} exports no \`plugin\` of the contract channel/1. Install one that \`margay plugin list\` shows.`,
    );
  return plugin as unknown as ChannelPlugin; // its contract was read
}

/** What the plugin is handed. @throws RuntimeError `config.invalid`, with each setting that is missing or wrong. */
export function settingsFor(
  id: string,
  { schema, title }: Pick<ChannelKind, "schema" | "title">,
  { token, secret, baseUrl, options = {} }: ChannelConfig,
): Readonly<Record<string, Json>> {
  const given = {
    ...(token !== undefined && { token }),
    ...(secret !== undefined && { secret }),
    ...(baseUrl !== undefined && { baseUrl }),
    options: { ...options },
  };
  const faults = checkInput(given, schema);
  // What the quick check cannot decide the plugin decides itself.
  if (!(faults instanceof Promise) && faults.length > 0)
    throw new RuntimeError(
      "config.invalid",
      `channels.${id} (${title}): ${faults.join("; ")}. Set it below channels.${id}.`,
    );
  const { options: own, ...common } = given;
  return { ...own, ...common };
}

/** margay's side of one channel. */
export function hostOf(id: string, { folder, blobs, clock, log, report }: PluginChannelDeps): ChannelHost {
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
      save: async (bytes, { name, mediaType = "application/octet-stream" }) => ({
        type: "media",
        mediaType,
        blob: await store().put(bytes),
        ...(name !== undefined && { name }),
      }),
      read: ({ blob }) => store().read(blob),
    },
    fault: (kind, message, options) => new ChannelFault(kind, message, options),
    alive: () => report?.(id, { alive: true }),
    up: (account) => report?.(id, { state: "up", ...(account !== undefined && { account }) }),
    deadLetter: (frame, error) => {
      state.deadLetter(frame);
      log.warn("channel.dead-letter", { channel: id, message: messageOf(error) });
    },
  };
}
