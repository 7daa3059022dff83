/** How each channel of the configuration is made. */
import { RuntimeError, type Channel, type Clock, type Json, type Logger } from "@margay/core";
import { isKnownChannel, type ChannelId } from "../../config/channel-ids.ts";
import { createWebhook } from "./webhook.ts";

export interface ChannelDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Told when a channel connected. */
  readonly report?: (id: string, state: "up") => void;
}
/** What a channel may look at of `channels.{id}`. */
export interface ChannelConfig {
  readonly enabled: boolean;
  readonly secret?: string;
  readonly options?: Readonly<Record<string, Json>>;
}
type Create = (config: ChannelConfig, deps: ChannelDeps) => Channel;

const CHANNELS: Readonly<Record<ChannelId, Create>> = { webhook: webhookOf };

/** @throws RuntimeError `config.invalid`. */
export function createChannel(id: string, config: ChannelConfig, deps: ChannelDeps): Channel {
  if (!isKnownChannel(id))
    throw new RuntimeError("config.invalid", `There is no channel ${id}. Remove channels.${id}.`);
  return CHANNELS[id](config, deps);
}

function webhookOf({ secret, options }: ChannelConfig, deps: ChannelDeps): Channel {
  if (secret === undefined || secret === "")
    throw new RuntimeError(
      "config.invalid",
      "channels.webhook.secret is missing: nothing could be signed. Set it, or channels.webhook.enabled to false.",
    );
  return createWebhook({
    id: "webhook",
    secret,
    url: urlOf(options?.["url"]),
    port: portOf(options?.["port"]),
    ...deps,
  });
}

function urlOf(value: Json | undefined): URL | undefined {
  if (value === undefined || value === null) return undefined;
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new RuntimeError(
      "config.invalid",
      "channels.webhook.options.url is not an http or https address. Write it out, with https://.",
    );
  return url;
}

function portOf(value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 65_535)
    throw new RuntimeError(
      "config.invalid",
      "channels.webhook.options.port is not a port. Use a number from 1 to 65535.",
    );
  return value;
}
