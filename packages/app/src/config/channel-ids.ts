/** What `channels.{id}` may be: the kinds of chat platforms we make; others come as plugins and are named by `kind`. */
import type { Config } from "./config.ts";

/** Those that come as plugins, with the name that people know and the package. */
export const OUR_CHANNELS = [
  { kind: "telegram", name: "Telegram", package: "@margay/channel-telegram" },
  { kind: "discord", name: "Discord", package: "@margay/channel-discord" },
  { kind: "slack", name: "Slack", package: "@margay/channel-slack" },
  { kind: "feishu", name: "Feishu", package: "@margay/channel-feishu" },
  { kind: "email", name: "E-mail", package: "@margay/channel-email" },
  { kind: "xmpp", name: "XMPP", package: "@margay/channel-xmpp" },
] as const;

/** All that we make. */
export function ourKinds(): readonly string[] {
  return ["webhook", ...OUR_CHANNELS.map(({ kind }) => kind)];
}

type Configured = Readonly<Record<string, Pick<Config["channelsById"][string], "kind">>>;

/** Entrances of this process itself: whoever reaches them holds the operator's account or token. */
export const OWN_ENTRANCES: ReadonlySet<string> = new Set([
  "cli",
  "api",
  "web",
  "direct",
  "cron",
  "heartbeat",
  "system",
]);

/** Names under which conversations are kept that no platform is behind. */
const TAKEN: ReadonlySet<string> = new Set([...OWN_ENTRANCES, "hook", "heard", "voice"]);

/** Whether an account of a platform may be called so: who writes on an entrance of our own would be the operator. */
export function isChannelName(name: string): boolean {
  return /^[a-z][a-z0-9_-]{0,39}$/.test(name) && !TAKEN.has(name);
}

/** The kind of a channel: its own word, or its name. */
export function kindOf(id: string, configured: Configured): string {
  return (Object.hasOwn(configured, id) ? configured[id]?.kind : undefined) ?? id;
}

/** Of a kind that we make, or of one that somebody named. Whether its plugin is there is another question. */
export function isKnownChannel(id: string, configured: Configured): boolean {
  return ourKinds().includes(id) || (Object.hasOwn(configured, id) && configured[id]?.kind !== undefined);
}
