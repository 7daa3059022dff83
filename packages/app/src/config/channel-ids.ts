/** What `channels.{id}` may be: the kinds of chat platforms we make; others come as plugins and are named by `kind`. */
import type { Config } from "./config.ts";

export const CHANNEL_KINDS = ["webhook", "telegram", "discord", "email", "xmpp"] as const;

type Configured = Readonly<Record<string, Pick<Config["channelsById"][string], "kind">>>;

/** The kind of a channel: its own word, or its name. */
export function kindOf(id: string, configured: Configured): string {
  return (Object.hasOwn(configured, id) ? configured[id]?.kind : undefined) ?? id;
}

/** Of a kind that we make, or of one that somebody named. Whether its plugin is there is another question. */
export function isKnownChannel(id: string, configured: Configured): boolean {
  return (
    CHANNEL_KINDS.some((kind) => kind === id) || (Object.hasOwn(configured, id) && configured[id]?.kind !== undefined)
  );
}
