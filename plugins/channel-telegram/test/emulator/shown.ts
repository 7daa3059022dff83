// A chat as people see it.

import type { InlineKeyboardButton, Message, MessageEntity } from "grammy/types";

import type { World } from "./world.ts";

/** A message as people see it. */
export interface Shown {
  readonly id: number;
  readonly own: boolean;
  readonly from: string;
  /** Text or caption after parsing. */
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly buttons: readonly (readonly InlineKeyboardButton[])[];
  readonly reactions: readonly string[];
  readonly edited: boolean;
  readonly replyTo?: number;
  readonly thread?: number;
  readonly album?: string;
  /** Everything else. */
  readonly message: Message;
}

/** What the server says, not a person. */
export const SERVICE = [
  "forum_topic_created",
  "new_chat_title",
  "new_chat_members",
  "left_chat_member",
  "migrate_to_chat_id",
  "migrate_from_chat_id",
] as const;

/** Oldest first, service messages left out. */
export function shown({ rooms, me }: World, chat: number): readonly Shown[] {
  const entries = [...(rooms.get(chat)?.messages.values() ?? [])];
  return entries
    .filter(({ message }) => SERVICE.every((kind) => message[kind] === undefined))
    .map(({ message, reactions }) => ({
      id: message.message_id,
      own: message.from?.id === me.id,
      from: message.from?.first_name ?? "",
      text: message.text ?? message.caption ?? "",
      entities: message.entities ?? message.caption_entities ?? [],
      buttons: message.reply_markup?.inline_keyboard ?? [],
      reactions: [...reactions.values()],
      edited: message.edit_date !== undefined,
      ...(message.reply_to_message && { replyTo: message.reply_to_message.message_id }),
      ...(message.message_thread_id !== undefined && { thread: message.message_thread_id }),
      ...(message.media_group_id !== undefined && { album: message.media_group_id }),
      message,
    }));
}
