/** What `channels.{id}` may be called: the chat platforms there are. */
export const CHANNEL_IDS = ["webhook"] as const;

export type ChannelId = (typeof CHANNEL_IDS)[number];

export function isKnownChannel(id: string): id is ChannelId {
  return CHANNEL_IDS.some((known) => known === id);
}
