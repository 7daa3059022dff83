/** The settings of one bot, as `channel.json` describes them. */
import type { ChannelHost, ChannelOptions } from "@margay/core/plugin";

export interface Settings {
  readonly token: string;
  /** Where Discord is, without a slash at its end. */
  readonly baseUrl: string;
  /** Servers that it works in; empty: all. */
  readonly guilds: readonly string[];
}

const DISCORD = "https://discord.com";

/** @throws a fault `config`. */
export function settingsOf({ id, settings }: ChannelOptions, host: ChannelHost): Settings {
  const wrong = (what: string, cure: string): Error =>
    host.fault("config", `channels.${id}: ${what} ${cure}`, { sent: "no" });
  const token = String(settings["token"] ?? "")
    .trim()
    .replace(/^Bot\s+/i, "");
  // It becomes a header.
  if (!/^[\w.-]+$/.test(token)) throw wrong("the token is none.", "Copy it from the page Bot of the developer portal.");
  const base = settings["baseUrl"];
  const given = typeof base === "string" && base.trim() !== "" ? base.trim() : undefined;
  const url = URL.parse(given ?? DISCORD);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrong("baseUrl is no address.", "Write it out, with https://.");
  if (url.protocol === "http:" && !isNear(url.hostname))
    throw wrong("baseUrl sends the token in the clear over the network.", "Use https://.");
  const { guilds } = settings;
  return {
    token,
    baseUrl: `${url.origin}${url.pathname}`.replace(/\/+$/, ""),
    guilds: Array.isArray(guilds) ? guilds.filter((guild) => typeof guild === "string") : [],
  };
}

/** On this machine or in its own network: a name without a dot is one of a container. */
function isNear(host: string): boolean {
  return !/[.:]/.test(host) || host === "[::1]" || /^(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/.test(host);
}
