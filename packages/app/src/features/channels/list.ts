/** How each channel of the configuration is made. */
import { type Channel, type Json, RuntimeError } from "@margay/core";
import { ChannelFault, channelHost, type ChannelHostOptions } from "@margay/core/internal";
import { shortName } from "../../models/known-plugins.ts";
import { OUR_CHANNELS } from "../../config/channel-ids.ts";
import { type ChannelConfig, findKind } from "./kinds.ts";
import { loadChannelPlugin } from "../../models/plugin-load.ts";
import { pluginChannel, settingsFor } from "./plugin-channel.ts";
import { createWebhook } from "./webhook/webhook.ts";

export interface ChannelDeps extends ChannelHostOptions {
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
  const made = ofPlugin(id, named, config, deps);
  if (made !== undefined) return made;
  if (!OUR_CHANNELS.some(({ kind }) => kind === named) && config.kind === undefined)
    throw new RuntimeError("config.invalid", `There is no channel ${id}. Remove channels.${id}.`);
  return missing(id, named, () => ofPlugin(id, named, config, deps));
}

/** @throws RuntimeError `config.invalid`. */
function ofPlugin(id: string, named: string, config: ChannelConfig, deps: ChannelDeps): Channel | undefined {
  const kind = findKind(named, { home: deps.home });
  return kind?.place === undefined
    ? undefined
    : pluginChannel(id, { ...kind, place: kind.place }, config, {
        ...deps,
        backfillHours: config.backfillHours,
        maxFileBytes: config.media?.maxBytes,
      });
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
  return plugin.probe?.({ id, settings: settingsFor(id, kind, config) }, channelHost(id, deps), signal);
}

/** Of a kind that is not installed. */
export function needsPlugin(id: string, kind: string): ChannelFault {
  const name = OUR_CHANNELS.find((one) => one.kind === kind)?.package ?? `margay-channel-${kind}`;
  const text = `Channel ${id} needs a plugin that is not installed. Run \`margay plugin add ${shortName(name)}\`.`;
  return new ChannelFault("again", text, { sent: "no" });
}

/** Everything else runs; what is for it waits until its plugin is there. */
function missing(id: string, kind: string, look: () => Channel | undefined): Channel {
  let found: Channel | undefined;
  const channel = (): Channel => {
    found ??= look();
    if (found !== undefined) return found;
    throw needsPlugin(id, kind);
  };
  return {
    id,
    get can() {
      return found?.can ?? { once: "no", text: { dialect: "plain", max: Number.POSITIVE_INFINITY } };
    },
    run: async (inbox, signal) => channel().run(inbox, signal),
    send: async (piece, signal) => channel().send(piece, signal),
  };
}

function webhookOf(id: string, { secret, options, burstMs }: ChannelConfig, deps: ChannelDeps): Channel {
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
    ...(burstMs !== undefined && { burstMs }),
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
