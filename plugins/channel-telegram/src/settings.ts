/** The settings of one bot, as `channel.json` describes them. */
import type { ChannelHost, ChannelOptions } from "@margay/core/plugin";

export interface Settings {
  readonly token: string;
  /** Where the Bot API is, without a slash at its end. */
  readonly baseUrl: string;
  /** Whether a running answer is shown as a draft. */
  readonly drafts: boolean;
}

/** @throws a fault `config`. */
export function settingsOf({ id, settings }: ChannelOptions, host: ChannelHost): Settings {
  const wrong = (what: string, cure: string): Error =>
    host.fault("config", `channels.${id}: ${what} ${cure}`, { sent: "no" });
  const token = String(settings["token"] ?? "").trim();
  // It becomes a part of an address.
  if (!/^\d+:[A-Za-z0-9_-]+$/.test(token))
    throw wrong("the token is none.", "Copy it from @BotFather; it looks like 123456:AAE….");
  const base = settings["baseUrl"];
  const url = URL.parse(typeof base === "string" && base.trim() !== "" ? base.trim() : "https://api.telegram.org");
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrong("baseUrl is no address.", "Write it out, with https://.");
  if (url.protocol === "http:" && !isNear(url.hostname))
    throw wrong("baseUrl sends the token in the clear over the network.", "Use https://.");
  const drafts = settings["drafts"] !== false;
  return { token, baseUrl: `${url.origin}${url.pathname}`.replace(/\/+$/, ""), drafts };
}

/** On this machine or in its own network: a name without a dot is one of a container. */
function isNear(host: string): boolean {
  return !/[.:]/.test(host) || host === "[::1]" || /^(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/.test(host);
}
