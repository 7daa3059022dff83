/** What people put below a message. Telegram does not say whose it is, nor which topic it stands in. */
import type { ChannelHost, ChannelInbox } from "@margay/core/plugin";
import type { MessageReactionUpdated, ReactionType } from "grammy/types";
import { ownChat } from "./moved.ts";

/** What was taken away is nothing; nor is what a channel or a hidden administrator does. */
export async function takeReaction(
  { chat, message_id: id, user, old_reaction: before, new_reaction: now }: MessageReactionUpdated,
  { id: channel, host }: { readonly id: string; readonly host: ChannelHost },
  inbox: ChannelInbox,
): Promise<void> {
  if (user === undefined) return;
  const had = new Set(before.map(nameOf));
  const origin = { channel, chat: ownChat(host, String(chat.id)) };
  const from = { id: String(user.id), kind: "person", ...(user.is_bot && { bot: true as const }) } as const;
  for (const one of now.filter((reaction) => !had.has(nameOf(reaction))))
    await inbox.reacted({ origin, from, of: String(id), ...(one.type === "emoji" && { emoji: one.emoji }) });
}

function nameOf(reaction: ReactionType): string {
  return JSON.stringify(reaction);
}
