// Every method of the emulator with every parameter that the Bot API knows. The types of grammy see that none is missing.

import type { ApiMethods, Message } from "grammy/types";

import type { Kind, ListKind, ObjectKind } from "./params.ts";

type ArgumentOf<M extends keyof ApiMethods> = NonNullable<Parameters<ApiMethods[M]>[0]>;
type NamesOf<T> = T extends unknown ? keyof T : never;
type Table = { readonly [M in keyof ApiMethods]?: Readonly<Record<NamesOf<ArgumentOf<M>>, Kind>> };

/** Parameters of a method that passed its table: files are names of parts or ids. */
export type ArgsOf<M extends Method> = ArgumentOf<M>;

/** What a method answers: the type of the SDK, where any message may stand for a special one. */
export type ResultOf<M extends Method> = Loose<ReturnType<ApiMethods[M]>>;
type Loose<T> = T extends { message_id: number } ? Message : T extends { message_id: number }[] ? Message[] : T;

/** Several parameters of one kind. */
function all<T extends Kind, N extends string>(kind: T, ...names: readonly N[]): Record<N, T> {
  return Object.fromEntries(names.map((name) => [name, kind])) as Record<N, T>; // that is what the line makes
}

function object(label: string, fields: Readonly<Record<string, Kind>>): ObjectKind {
  return { label, fields };
}

function list(label: string, items: Kind, required?: true): ListKind {
  return { label, items, ...(required && { required }) };
}

const user = object("User", {
  id: "integer!",
  ...all("boolean", "is_bot", "is_premium"),
  ...all("string", "first_name", "last_name", "username", "language_code"),
});
const entities = list(
  "MessageEntity",
  object("MessageEntity", {
    ...all("integer!", "offset", "length"),
    ...all("string", "url", "language", "custom_emoji_id", "date_time_format"),
    type: "string!",
    unix_time: "integer",
    user,
  }),
);
const button = object("inline keyboard button", {
  text: "string!",
  ...all("string", "icon_custom_emoji_id", "style", "url", "callback_data"),
  ...all("string", "switch_inline_query", "switch_inline_query_current_chat"),
  ...all("any", "web_app", "login_url", "switch_inline_query_chosen_chat", "copy_text", "callback_game", "disabled"),
  pay: "boolean",
});
const rows = list("inline keyboard rows", list("inline keyboard buttons", button));
const inlineMarkup = object("reply markup", { inline_keyboard: { ...rows, required: true } });
const markup = object("reply markup", {
  inline_keyboard: rows,
  keyboard: "any",
  ...all("boolean", "remove_keyboard", "force_reply", "is_persistent", "resize_keyboard", "one_time_keyboard"),
  selective: "boolean",
  input_field_placeholder: "string",
});
const reply = object("reply parameters", {
  ...all("integer", "message_id", "ephemeral_message_id", "checklist_task_id", "quote_position"),
  ...all("string", "poll_option_id", "quote", "quote_parse_mode"),
  chat_id: "chat",
  allow_sending_without_reply: "boolean",
  quote_entities: entities,
});
const preview = object("link preview options", {
  ...all("boolean", "is_disabled", "prefer_small_media", "prefer_large_media", "show_above_text"),
  url: "string",
});
const media = list(
  "InputMedia",
  object("InputMedia", {
    ...all("string!", "type", "media"),
    ...all("string", "photo", "caption", "parse_mode", "thumbnail", "cover", "performer", "title"),
    ...all("boolean", "show_caption_above_media", "has_spoiler", "supports_streaming"),
    ...all("integer", "start_timestamp", "width", "height", "duration"),
    disable_content_type_detection: "boolean",
    caption_entities: entities,
  }),
  true,
);
const command = object("BotCommand", { ...all("string!", "command", "description"), is_ephemeral: "boolean" });
const scope = object("BotCommandScope", { type: "string!", chat_id: "chat", user_id: "integer" });
const reaction = object("ReactionType", { type: "string!", ...all("string", "emoji", "custom_emoji_id") });
const names = list("allowed updates", "string");
const here = { chat_id: "chat!", message_id: "integer!" } as const;

/** What all methods have that send something. */
const sending = {
  chat_id: "chat!",
  ...all("integer", "message_thread_id", "direct_messages_topic_id", "reply_to_message_id"),
  ...all("boolean", "disable_notification", "protect_content", "allow_paid_broadcast"),
  ...all("string", "business_connection_id", "message_effect_id"),
  reply_parameters: reply,
} as const;
const sendingOne = {
  ...sending,
  ...all("any", "ephemeral_message_parameters", "suggested_post_parameters"),
  reply_markup: markup,
} as const;
const captioned = { ...all("string", "caption", "parse_mode"), caption_entities: entities } as const;
const sendingFile = { ...sendingOne, ...captioned } as const;
const editing = {
  ...here,
  ...all("string", "business_connection_id", "inline_message_id"),
  reply_markup: inlineMarkup,
} as const;
const texted = { parse_mode: "string", entities } as const;
const spoiler = all("boolean", "show_caption_above_media", "has_spoiler");
const drop = { drop_pending_updates: "boolean" } as const;

/** The methods and their parameters. */
export const METHODS = {
  getMe: {},
  getUpdates: { ...all("integer", "offset", "limit", "timeout"), allowed_updates: names },
  setWebhook: {
    ...drop,
    url: "string!",
    certificate: "file",
    max_connections: "integer",
    allowed_updates: names,
    ...all("string", "ip_address", "secret_token"),
  },
  deleteWebhook: drop,
  getWebhookInfo: {},
  sendMessage: { ...sendingOne, ...texted, text: "string!", link_preview_options: preview },
  sendMessageDraft: {
    ...texted,
    ...all("integer!", "chat_id", "draft_id"),
    ...all("boolean", "can_stop", "keep_on_stop"),
    message_thread_id: "integer",
    text: "string",
  },
  editMessageText: { ...editing, ...texted, text: "string!", link_preview_options: preview, rich_message: "any" },
  editMessageCaption: { ...editing, ...captioned, show_caption_above_media: "boolean" },
  editMessageReplyMarkup: editing,
  deleteMessage: here,
  sendPhoto: { ...sendingFile, ...spoiler, photo: "file!" },
  sendDocument: { ...sendingFile, document: "file!", thumbnail: "file", disable_content_type_detection: "boolean" },
  sendAudio: {
    ...sendingFile,
    audio: "file!",
    duration: "integer",
    thumbnail: "file",
    ...all("string", "performer", "title"),
  },
  sendVoice: { ...sendingFile, voice: "file!", duration: "integer" },
  sendVideo: {
    ...sendingFile,
    ...spoiler,
    video: "file!",
    ...all("integer", "duration", "width", "height", "start_timestamp"),
    ...all("file", "thumbnail", "cover"),
    supports_streaming: "boolean",
  },
  sendMediaGroup: { ...sending, media },
  getFile: { file_id: "string!" },
  sendChatAction: {
    chat_id: "chat!",
    action: "string!",
    business_connection_id: "string",
    message_thread_id: "integer",
  },
  setMessageReaction: { ...here, reaction: list("ReactionType", reaction), is_big: "boolean" },
  answerCallbackQuery: {
    callback_query_id: "string!",
    ...all("string", "text", "url"),
    show_alert: "boolean",
    cache_time: "integer",
  },
  setMyCommands: { commands: list("BotCommand", command, true), scope, language_code: "string" },
  getMyCommands: { scope, language_code: "string" },
  getChat: { chat_id: "chat!" },
  getChatMember: { chat_id: "chat!", user_id: "integer!" },
  createForumTopic: { chat_id: "chat!", name: "string!", icon_color: "integer", icon_custom_emoji_id: "string" },
} as const satisfies Table;

/** A method of the emulator. */
export type Method = keyof typeof METHODS;

/** Methods are not case-sensitive. @returns `undefined` for what the emulator does not know. */
export function methodOf(name: string): Method | undefined {
  const wanted = name.toLowerCase();
  return (Object.keys(METHODS) as Method[]).find((method) => method.toLowerCase() === wanted); // the keys of this very object
}
