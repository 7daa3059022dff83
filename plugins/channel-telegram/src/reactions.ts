/** What people put below a message, and we do. Telegram does not say whose the message is, nor which topic it stands in. */
import type { ChannelHost, ChannelInbox } from "@margay/core/plugin";
import type { MessageReactionUpdated, ReactionType, ReactionTypeEmoji } from "grammy/types";
import { Refusal } from "./api.ts";
import { faultOf } from "./faults.ts";
import { ownChat } from "./moved.ts";
import type { Sender } from "./send.ts";

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

/** In place of those that Telegram does not take of bots. */
const USUAL = "\u{1f440}";

/** A bot has one at a time below each message. @throws a fault. */
export async function react(
  of: string,
  emoji: string | undefined,
  { api, host }: Sender,
  signal: AbortSignal,
): Promise<void> {
  const [, chat, message] = /^(-?\d+):(\d+)$/.exec(of) ?? [];
  if (message === undefined) return;
  const aim = { chat_id: Number(chat), message_id: Number(message) };
  const put = async (one: string | undefined): Promise<void> => {
    const reaction = one === undefined ? [] : [{ type: "emoji", emoji: one as ReactionTypeEmoji["emoji"] } as const]; // Telegram says whether it is
    await api.call("setMessageReaction", { ...aim, reaction }, { signal });
  };
  const refused = (error: unknown, words: RegExp): boolean => error instanceof Refusal && words.test(error.message);
  try {
    // Telegram writes them without the sign that says to draw them in color.
    await put(emoji?.replaceAll("\ufe0f", "")).catch((error: unknown) => {
      if (!refused(error, /REACTION_INVALID/)) throw error;
      return put(USUAL);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!refused(error, /message to react not found/i)) throw faultOf(error, host);
  }
}
