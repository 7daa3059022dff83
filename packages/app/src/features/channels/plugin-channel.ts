/** A channel whose plugin is loaded when it first receives or sends: a start costs nothing for a platform nobody uses. */
import { pathToFileURL } from "node:url";
import { type Channel, type Json, RuntimeError } from "@margay/core";
import {
  channelHost,
  type ChannelHostOptions,
  type ChannelPlugin,
  checkInput,
  isRecord,
  messageOf,
} from "@margay/core/internal";
import { shortName } from "../../models/known-plugins.ts";
import type { PluginPlace } from "../../models/plugin-locate.ts";
import type { ChannelConfig, ChannelKind } from "./kinds.ts";

type Kind = ChannelKind & { readonly place: PluginPlace };

/** @throws RuntimeError `config.invalid`: a setting is missing or wrong. */
export function pluginChannel(id: string, kind: Kind, config: ChannelConfig, deps: ChannelHostOptions): Channel {
  const settings = settingsFor(id, kind, config);
  const host = channelHost(id, deps);
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
    edit: async (platformId, message, signal) => (await channel()).edit?.(platformId, message, signal),
    typing: async (to, signal) => (await channel()).typing?.(to, signal),
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
