// Every method: parameters that passed in, the result out.

import type { ChatMember, Message } from "grammy/types";

import type { Handlers } from "./handlers.ts";
import { mediaHandlers } from "./media.ts";
import { badRequest } from "./refusal.ts";
import type { ArgsOf } from "./schema.ts";
import { botUser, buttons, caption, checkThread, format, formatText, MAX_TEXT, placeOf, say } from "./send.ts";
import type { Content, Entry, Room, World } from "./world.ts";

const ACTIONS =
  /^(typing|choose_sticker|find_location|upload_(photo|video|voice|document|video_note)|record_(video|voice|video_note))$/;
const REACTIONS =
  /^(👍|👎|❤|🔥|🥰|👏|😁|🤔|🤯|😱|🤬|😢|🎉|🤩|🤮|💩|🙏|👌|🕊|🤡|🥱|🥴|😍|🐳|❤‍🔥|🌚|🌭|💯|🤣|⚡|🍌|🏆|💔|🤨|😐|🍓|🍾|💋|🖕|😈|😴|😭|🤓|👻|👨‍💻|👀|🎃|🙈|😇|😨|🤝|✍|🤗|🫡|🎅|🎄|☃|💅|🤪|🗿|🆒|💘|🙉|🦄|😘|💊|🙊|😎|👾|🤷‍♂|🤷|🤷‍♀|😡)$/u;
const DRAFT_MS = 30_000;

/** The message to edit, of the bot. @throws Refusal */
function own(world: World, args: { chat_id?: number | string; message_id?: number }): { room: Room; entry: Entry } {
  const room = world.writable(args.chat_id ?? "");
  const entry = world.entry(room, args.message_id ?? 0);
  if (entry === undefined) throw badRequest("message to edit not found");
  if (entry.message.from?.id !== world.me.id) throw badRequest("message can't be edited");
  return { room, entry };
}

/** @param content what takes the place of text, caption and buttons. @throws Refusal */
function edit(
  world: World,
  { room, entry }: ReturnType<typeof own>,
  content: Content,
): Message & { edit_date: number } {
  const {
    text,
    entities,
    caption: line,
    caption_entities: lineEntities,
    reply_markup: markup,
    ...rest
  } = entry.message;
  const said = (of: Content): string =>
    JSON.stringify([of.text, of.entities ?? [], of.caption, of.caption_entities ?? [], of.reply_markup]);
  if (said(entry.message) === said(content))
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  world.limits.take(room);
  const edited = { ...rest, ...content, edit_date: world.seconds() };
  entry.message = edited;
  return edited;
}

function keyboard(markup: object | undefined): Content {
  const inline = buttons(markup);
  return inline === undefined ? {} : { reply_markup: inline };
}

function textOf({ text, entities, caption: line, caption_entities: lineEntities }: Message): Content {
  return {
    ...(text !== undefined && { text }),
    ...(entities && { entities }),
    ...(line !== undefined && { caption: line }),
    ...(lineEntities && { caption_entities: lineEntities }),
  };
}

export const HANDLERS: Handlers = {
  ...mediaHandlers,
  getMe: (world) => world.me,
  getUpdates: (world, args, { gone }) => world.updates.poll(args, gone),
  setWebhook(world, args) {
    if (args.url !== "" && !/^https:|^http:\/\/127\.0\.0\.1/.test(args.url))
      throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
    if (args.secret_token !== undefined && !/^[A-Za-z0-9_-]{1,256}$/.test(args.secret_token))
      throw badRequest("secret token contains unallowed characters");
    world.updates.setHook(args.url, args.secret_token, args.allowed_updates, args.drop_pending_updates === true);
    return true;
  },
  deleteWebhook(world, args) {
    world.updates.setHook("", undefined, undefined, args.drop_pending_updates === true);
    return true;
  },
  getWebhookInfo: (world) => world.updates.hookInfo(),

  sendMessage(world, args) {
    const { text, entities } = formatText(world, args.text, args.parse_mode, args.entities);
    const place = placeOf(world, args);
    if (text.length > MAX_TEXT) throw badRequest("message is too long");
    return say(world, place, { text, ...(entities.length > 0 && { entities }) }).message;
  },
  sendMessageDraft(world, args) {
    const { text } = format(world, args.text ?? "", args.parse_mode, args.entities);
    const room = world.writable(args.chat_id);
    if (room.chat.type !== "private") throw badRequest("can't send message drafts to non-private chats");
    const thread = checkThread(world, room, args.message_thread_id);
    if (args.draft_id === 0) throw badRequest("draft_id must be non-zero");
    if (text.length > MAX_TEXT) throw badRequest("message is too long");
    world.limits.take(room);
    const until = world.clock.now() + DRAFT_MS;
    const place = thread === undefined ? {} : { thread };
    room.drafts.set(args.draft_id, { text, canStop: args.can_stop === true, until, ...place });
    return true;
  },
  editMessageText(world, args) {
    const { text, entities } = formatText(world, args.text ?? "", args.parse_mode, args.entities);
    const markup = keyboard(args.reply_markup);
    const found = own(world, args);
    if (found.entry.message.text === undefined) throw badRequest("there is no text in the message to edit");
    if (text.length > MAX_TEXT) throw badRequest("message is too long");
    return edit(world, found, { text, ...(entities.length > 0 && { entities }), ...markup });
  },
  editMessageCaption(world, args) {
    const said = caption(world, args);
    const markup = keyboard(args.reply_markup);
    const found = own(world, args);
    if (found.entry.message.text !== undefined) throw badRequest("there is no caption in the message to edit");
    return edit(world, found, { ...said, ...markup });
  },
  editMessageReplyMarkup(world, args) {
    const markup = keyboard(args.reply_markup);
    const found = own(world, args);
    return edit(world, found, { ...textOf(found.entry.message), ...markup });
  },
  deleteMessage(world, args) {
    const room = world.writable(args.chat_id);
    const entry = world.entry(room, args.message_id);
    if (entry === undefined) throw badRequest("message to delete not found");
    const { from, date } = entry.message;
    const isOwn = from?.id === world.me.id;
    const may = room.chat.type === "private" || isOwn || world.isAdmin(room, world.me.id);
    const old = date < world.seconds() - 48 * 3600 && !world.isAdmin(room, world.me.id);
    if (!may || old) throw badRequest("message can't be deleted");
    room.messages.delete(args.message_id);
    return true;
  },

  sendChatAction(world, args) {
    if (!ACTIONS.test(args.action)) throw badRequest("wrong parameter action in request");
    checkThread(world, world.writable(args.chat_id), args.message_thread_id);
    return true;
  },
  setMessageReaction(world, args) {
    const room = world.writable(args.chat_id);
    const entry = world.entry(room, args.message_id);
    if (entry === undefined) throw badRequest("message to react not found");
    const [first, ...rest] = args.reaction ?? [];
    if (rest.length > 0) throw badRequest("REACTIONS_TOO_MANY");
    if (first === undefined) entry.reactions.delete(world.me.id);
    else if (first.type !== "emoji" || !REACTIONS.test(first.emoji)) throw badRequest("REACTION_INVALID");
    else entry.reactions.set(world.me.id, first.emoji);
    return true;
  },
  answerCallbackQuery(world, args) {
    const press = world.presses.get(args.callback_query_id);
    if ((args.text ?? "").length > 200) throw badRequest("MESSAGE_TOO_LONG");
    if (press === undefined || press.until <= world.clock.now())
      throw badRequest("query is too old and response timeout expired or query ID is invalid");
    world.presses.delete(args.callback_query_id);
    const { text, url } = args;
    press.answer({
      alert: args.show_alert === true,
      ...(text !== undefined && { text }),
      ...(url !== undefined && { url }),
    });
    return true;
  },

  setMyCommands(world, args) {
    if (args.commands.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
    for (const { command, description } of args.commands) {
      if (!/^[a-z0-9_]{1,32}$/.test(command.replace(/^\//, ""))) throw badRequest("BOT_COMMAND_INVALID");
      if (description === "") throw badRequest("command description must be non-empty");
      if (description.length > 256) throw badRequest("command description length must not exceed 256");
    }
    world.commands.set(scopeOf(args), args.commands);
    return true;
  },
  getMyCommands: (world, args) => [...(world.commands.get(scopeOf(args)) ?? [])],

  getChat(world, args) {
    const room = world.room(args.chat_id);
    const more = { accent_color_id: 0, max_reaction_count: 11 };
    const gifts = { unlimited_gifts: true, limited_gifts: true, unique_gifts: true, premium_subscription: true };
    return { ...room.chat, ...more, accepted_gift_types: { ...gifts, gifts_from_channels: true } };
  },
  getChatMember(world, args) {
    const room = world.room(args.chat_id);
    const user = args.user_id === world.me.id ? botUser(world) : world.people.get(args.user_id);
    if (user === undefined) throw badRequest("invalid user_id specified");
    return memberOf(world, room, user);
  },
  createForumTopic(world, args) {
    const room = world.writable(args.chat_id);
    if (room.chat.is_forum !== true) throw badRequest("the chat is not a forum");
    if (!world.isAdmin(room, world.me.id)) throw badRequest("not enough rights to create a topic");
    if (args.name.trim() === "") throw badRequest("name must be non-empty");
    const icon = { name: args.name, icon_color: args.icon_color ?? 0x6fb9f0 };
    return { message_thread_id: openTopic(world, room, botUser(world), icon).message.message_id, ...icon };
  },
};

function scopeOf({ scope, language_code: language }: ArgsOf<"getMyCommands">): string {
  return JSON.stringify([scope ?? { type: "default" }, language ?? ""]);
}

/** A topic has the number of the message that opened it. */
export function openTopic(
  world: World,
  room: Room,
  by: NonNullable<Message["from"]>,
  icon: { name: string; icon_color: number },
): Entry {
  const entry = world.post(room, by, { forum_topic_created: icon, is_topic_message: true });
  const { message } = entry;
  entry.message = { ...message, message_thread_id: message.message_id };
  room.topics.set(message.message_id, { name: icon.name, closed: false });
  return entry;
}

/** What someone is in a chat. */
export function memberOf(world: World, room: Room, user: NonNullable<Message["from"]>): ChatMember {
  const status = room.members.get(user.id) ?? "left";
  const no = { can_post_stories: false, can_edit_stories: false, can_delete_stories: false };
  switch (status) {
    case "administrator":
      return {
        ...no,
        status,
        user,
        can_be_edited: false,
        is_anonymous: false,
        can_manage_chat: true,
        can_delete_messages: true,
        can_manage_video_chats: true,
        can_restrict_members: true,
        can_promote_members: false,
        can_change_info: true,
        can_invite_users: true,
        can_manage_topics: true,
        can_send_welcome_messages: false,
      };
    case "creator":
      return { status, user, is_anonymous: false };
    case "kicked":
      return { status, user, until_date: 0 };
    case "left":
      return { status, user };
    default:
      return { status: "member", user };
  }
}
