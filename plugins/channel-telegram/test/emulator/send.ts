// What all methods share that write: the place, the text, the buttons.

import type { InlineKeyboardMarkup, Message, MessageEntity, ReplyParameters } from "grammy/types";

import { findEntities, trimmed } from "./entities.ts";
import { parseHtml } from "./html.ts";
import { badRequest } from "./refusal.ts";
import { GENERAL, type Content, type Entry, type Room, type World } from "./world.ts";

/** Most UTF-16 units of a text after parsing. */
export const MAX_TEXT = 4096;
/** The same of a caption. */
export const MAX_CAPTION = 1024;

export interface Formatted {
  readonly text: string;
  readonly entities: MessageEntity[];
}

/** Text as it will be shown. @throws Refusal when its markup is wrong or nothing is left */
export function format(
  world: World,
  source: string,
  mode: string | undefined,
  given: readonly MessageEntity[] | undefined,
): Formatted {
  if (Buffer.byteLength(source) > 32_768) throw badRequest("text is too long");
  if (mode !== undefined && mode !== "" && mode.toLowerCase() !== "html")
    throw badRequest(
      /^markdown(v2)?$/i.test(mode) ? `the emulator does not know parse_mode ${mode}` : "unsupported parse_mode",
    );
  const parsed = mode ? parseHtml(source, (id) => world.people.get(id)) : { text: source, entities: given ?? [] };
  const { text, entities } = trimmed(parsed.text, parsed.entities);
  return { text, entities: findEntities(text, entities) };
}

/** A text that must say something. @throws Refusal */
export function formatText(...args: Parameters<typeof format>): Formatted {
  if (args[1] === "") throw badRequest("message text is empty");
  const formatted = format(...args);
  if (formatted.text === "") throw badRequest("text must be non-empty");
  return formatted;
}

export interface Captioned {
  readonly caption?: string;
  readonly parse_mode?: string;
  readonly caption_entities?: readonly MessageEntity[];
}

/** A caption, as the fields of a message. @throws Refusal */
export function caption(world: World, args: Captioned): Content {
  const { text, entities } = format(world, args.caption ?? "", args.parse_mode, args.caption_entities);
  if (text.length > MAX_CAPTION) throw badRequest("message caption is too long");
  return { ...(text !== "" && { caption: text }), ...(entities.length > 0 && { caption_entities: entities }) };
}

export interface Place {
  readonly room: Room;
  readonly content: Content;
}

/** Where a message shall go. */
export interface Aim {
  readonly chat_id: number | string;
  readonly message_thread_id?: number;
  readonly reply_parameters?: ReplyParameters;
  readonly reply_to_message_id?: number;
  readonly reply_markup?: object;
}

/** Where a message goes and what it answers. @throws Refusal */
export function placeOf(world: World, aim: Aim): Place {
  const markup = buttons(aim.reply_markup);
  const room = world.writable(aim.chat_id);
  const thread = checkThread(world, room, aim.message_thread_id);
  const answered = answeredBy(world, room, aim);
  return {
    room,
    content: {
      ...world.threadOf(room, thread, answered?.message),
      ...(answered && quoted(answered.message)),
      ...(markup && { reply_markup: markup }),
    },
  };
}

/** A message inside of the one that answers it: without what it answers itself. */
export function quoted(message: Message): Content {
  const { reply_to_message: _, ...rest } = message;
  return { reply_to_message: rest as Message["reply_to_message"] & object }; // the SDK asks for `undefined`, JSON has none
}

/** @throws Refusal */
export function checkThread(world: World, room: Room, thread: number | undefined): number | undefined {
  if (thread === undefined || thread === 0) return undefined;
  const topic = room.topics.get(thread);
  if (topic === undefined || thread === GENERAL) throw badRequest("message thread not found");
  if (topic.closed && !world.isAdmin(room, world.me.id)) throw badRequest("TOPIC_CLOSED");
  return thread;
}

function answeredBy(world: World, room: Room, aim: Aim): Entry | undefined {
  const wanted = aim.reply_parameters?.message_id ?? aim.reply_to_message_id;
  if (wanted === undefined) return undefined;
  const { chat_id: other, allow_sending_without_reply: without } = aim.reply_parameters ?? {};
  const found = world.entry(other === undefined ? room : world.room(other), wanted);
  if (found === undefined && without !== true) throw badRequest("message to be replied not found");
  return found;
}

/** The inline keyboard of a markup; other keyboards are no part of a message. @throws Refusal */
export function buttons(markup: object | undefined): InlineKeyboardMarkup | undefined {
  if (markup === undefined || !("inline_keyboard" in markup)) return undefined;
  const { inline_keyboard: rows } = markup as InlineKeyboardMarkup; // its table was checked
  const all = rows.flat();
  for (const button of all) {
    const { text, ...action } = button;
    if (text === "") throw badRequest("can't parse inline keyboard button: button text must be non-empty");
    const does = Object.entries(action).filter(
      ([key, value]) => !["style", "icon_custom_emoji_id"].includes(key) && value !== "",
    );
    if (does.length === 0)
      throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
    if ("callback_data" in button && Buffer.byteLength(button.callback_data) > 64)
      throw badRequest("BUTTON_DATA_INVALID");
    if ("url" in button && !/^(https?|tg):\/\/[^\s]/.test(button.url)) throw badRequest("BUTTON_URL_INVALID");
  }
  if (all.length > 100) throw badRequest("reply markup is too long");
  return all.length === 0 ? undefined : { inline_keyboard: rows.filter((row) => row.length > 0) };
}

/** The bot says it. @throws Refusal 429 */
export function say(world: World, { room, content }: Place, more: Content): Entry {
  world.limits.take(room);
  return sayFree(world, { room, content }, more);
}

/** The same without counting it. */
export function sayFree(world: World, { room, content }: Place, more: Content): Entry {
  room.drafts.clear();
  return world.post(room, botUser(world), { ...content, ...more });
}

/** The bot as an author. */
export function botUser({ me: { id, first_name, username } }: World): Entry["message"]["from"] & object {
  return { id, is_bot: true, first_name, username };
}
