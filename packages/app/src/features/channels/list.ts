/** How each channel of the configuration is made. */
import { type Channel, type Json, RuntimeError } from "@margay/core";
import { ChannelFault } from "@margay/core/internal";
import { shortName } from "../../models/known-plugins.ts";
import { OUR_CHANNELS } from "../../models/channel-kinds.ts";
import { type ChannelConfig, findKind } from "./kinds.ts";
import { hostOf, loadChannelPlugin, pluginChannel, type PluginChannelDeps, settingsFor } from "./plugin-channel.ts";
import { createWebhook } from "./webhook/webhook.ts";

export interface ChannelDeps extends PluginChannelDeps {
  /** The state directory: where plugins are. */
  readonly home: string;
}
/** @throws RuntimeError `config.invalid`. */
export function createChannel(id: string, config: ChannelConfig, deps: ChannelDeps): Channel {
  const named = config.kind ?? id;
  if (!/^[a-z][a-z0-9_-]*$/.test(id))
    throw new RuntimeError(
      "config.invalid",
      `channels.${id} is no name of a channel. Use small letters, digits, - and _.`,
    );
  if (named === "webhook") return webhookOf(id, config, deps);
  const kind = findKind(named, { home: deps.home });
  const { place } = kind ?? {};
  if (kind !== undefined && place !== undefined) return pluginChannel(id, { ...kind, place }, config, deps);
  const ours = OUR_CHANNELS.find((one) => one.kind === named);
  if (ours === undefined && config.kind === undefined)
    throw new RuntimeError("config.invalid", `There is no channel ${id}. Remove channels.${id}.`);
  return missing(id, named, ours?.package ?? `margay-channel-${named}`);
}

/** Tries the settings at the platform. @returns who we are there; undefined: the kind has no way to tell. */
export async function probeChannel(
  id: string,
  config: ChannelConfig,
  deps: ChannelDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  const kind = findKind(config.kind ?? id, { home: deps.home });
  if (kind?.place === undefined) return undefined;
  const plugin = await loadChannelPlugin(kind.place);
  return plugin.probe?.({ id, settings: settingsFor(id, kind, config) }, hostOf(id, deps), signal);
}

/** Everything else runs; what is for it waits until its plugin is there. */
function missing(id: string, kind: string, packageName: string): Channel {
  const fault = (): ChannelFault =>
    new ChannelFault(
      "config",
      `Channel ${id} needs the plugin for ${kind}, which is not installed. Run \`margay plugin add ${shortName(packageName)}\` and start margay again.`,
      { sent: "no" },
    );
  return {
    id,
    can: { once: "no", text: { dialect: "plain", max: Number.POSITIVE_INFINITY } },
    run: () => Promise.reject(fault()),
    send: () => Promise.reject(fault()),
  };
}

function webhookOf(id: string, { secret, options }: ChannelConfig, deps: ChannelDeps): Channel {
  if (secret === undefined || secret === "")
    throw new RuntimeError(
      "config.invalid",
      `channels.${id}.secret is missing: nothing could be signed. Set it, or channels.${id}.enabled to false.`,
    );
  const { clock, log, report } = deps;
  return createWebhook({
    id,
    secret,
    url: urlOf(id, options?.["url"]),
    port: portOf(id, options?.["port"]),
    clock,
    log,
    ...(report !== undefined && { report }),
  });
}

function urlOf(id: string, value: Json | undefined): URL | undefined {
  if (value === undefined || value === null) return undefined;
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new RuntimeError(
      "config.invalid",
      `channels.${id}.options.url is not an http or https address. Write it out, with https://.`,
    );
  return url;
}

function portOf(id: string, value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 65_535)
    throw new RuntimeError(
      "config.invalid",
      `channels.${id}.options.port is not a port. Use a number from 1 to 65535.`,
    );
  return value;
}
