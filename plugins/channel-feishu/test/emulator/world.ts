// What the platform remembers: people, chats, messages, files, and what the app may do.
import { randomBytes } from "node:crypto";
import type { Json, Upload } from "./http.ts";
import { refusal } from "./refusal.ts";

export interface Person {
  readonly openId: string;
  readonly unionId: string;
  readonly name: string;
}

export interface Chat {
  readonly id: string;
  readonly mode: "p2p" | "group" | "topic";
  readonly members: Set<string>;
  /** Whether the bot is in it. */
  hasBot: boolean;
}

export interface Mention {
  readonly key: string;
  readonly id: string;
  readonly name: string;
}

export interface Message {
  readonly id: string;
  readonly chat: Chat;
  readonly at: number;
  /** `ou_…`, `cli_…` of an app, or nobody: Feishu itself. */
  readonly author: string;
  readonly type: string;
  readonly mentions: readonly Mention[];
  readonly root?: string;
  readonly parent?: string;
  thread?: string;
  content: Json;
  /** What it shows in place of its content. */
  readonly card?: Card;
  edits: number;
  deleted: boolean;
  /** What the app has put below it, by id. */
  readonly reactions: Map<string, string>;
}

/** An entity of CardKit. */
export interface Card {
  readonly id: string;
  content: Json;
  sequence: number;
  /** Until when it is written letter by letter. */
  streamsUntil: number;
  isShown: boolean;
  updates: number;
}

export interface Draft {
  readonly type?: string;
  readonly content?: Json;
  readonly mentions?: readonly { readonly id: string; readonly name: string }[];
  readonly card?: Card;
  readonly replyTo?: Message;
  readonly inThread?: boolean;
  readonly at?: number;
}

/** All that a bot needs. */
export const ALL_SCOPES = [
  "im:message",
  "im:message:send_as_bot",
  "im:message.p2p_msg:readonly",
  "im:message.group_at_msg:readonly",
  "im:message.group_msg",
  "im:resource",
  "contact:user.base:readonly",
  "im:chat:readonly",
  "cardkit:card:write",
];

export class World {
  readonly now: () => number;
  readonly appId = "cli_a1b2c3d4e5f60001";
  secret = "a-secret-of-the-app";
  readonly bot: Person = { openId: id("ou"), unionId: id("on"), name: "margay" };
  readonly people = new Map<string, Person>();
  readonly chats = new Map<string, Chat>();
  readonly messages = new Map<string, Message>();
  readonly cards = new Map<string, Card>();
  readonly files = new Map<string, Upload & { readonly kind: string }>();
  readonly scopes = new Set(ALL_SCOPES);
  /** Out of the app's availability. */
  readonly hidden = new Set<string>();
  isBotOn = true;
  /** A thing that the app is told of. */
  tell: (type: string, event: Json) => void = () => {};
  #last = 0;

  constructor(now: () => number) {
    this.now = now;
  }

  person(name: string): Person {
    const person = { openId: id("ou"), unionId: id("on"), name };
    this.people.set(person.openId, person);
    return person;
  }

  chat(mode: Chat["mode"], people: readonly Person[]): Chat {
    const chat: Chat = { id: id("oc"), mode, members: new Set(people.map(({ openId }) => openId)), hasBot: true };
    this.chats.set(chat.id, chat);
    return chat;
  }

  /** There is one with each person. */
  dm({ openId }: Person): Chat {
    const found = [...this.chats.values()].find(({ mode, members }) => mode === "p2p" && members.has(openId));
    const person = this.people.get(openId);
    return found ?? this.chat("p2p", person === undefined ? [] : [person]);
  }

  say(chat: Chat, author: string, draft: Draft & { readonly type: string; readonly content: Json }): Message {
    const { type, content, mentions = [], card, replyTo, inThread = false, at } = draft;
    // Times differ, so that lists have one order.
    const time = at ?? Math.max(this.now(), this.#last + 1);
    this.#last = Math.max(this.#last, time);
    const thread = replyTo?.thread ?? (inThread || chat.mode === "topic" ? id("omt") : undefined);
    if (replyTo !== undefined && thread !== undefined) replyTo.thread ??= thread;
    const message: Message = {
      id: id("om"),
      chat,
      at: time,
      author,
      type,
      content,
      ...(card !== undefined && { card }),
      mentions: mentions.map((one, index) => ({ key: `@_user_${index + 1}`, ...one })),
      ...(replyTo !== undefined && { root: replyTo.root ?? replyTo.id, parent: replyTo.id }),
      ...(thread !== undefined && { thread }),
      edits: 0,
      deleted: false,
      reactions: new Map(),
    };
    this.messages.set(message.id, message);
    return message;
  }

  message(id: string): Message {
    const message = this.messages.get(id);
    if (message === undefined) throw refusal(230_001, "invalid message_id");
    if (!message.chat.hasBot) throw refusal(230_002);
    return message;
  }

  keep(kind: string, upload: Upload): string {
    const key = kind === "image" ? `img_v3_${id("x").slice(2)}` : `file_v3_${id("x").slice(2)}`;
    this.files.set(key, { ...upload, kind });
    return key;
  }

  /** Of `im.message.receive_v1`. */
  eventOf({ id: message, chat, at, author, type, content, mentions, root, parent, thread }: Message): Json {
    const person = this.people.get(author);
    return {
      sender: {
        sender_id: { open_id: author, union_id: person?.unionId ?? id("on"), user_id: null },
        sender_type: person === undefined ? "app" : "user",
        tenant_key: "tenant",
      },
      message: {
        message_id: message,
        create_time: String(at),
        update_time: String(at),
        chat_id: chat.id,
        chat_type: chat.mode === "p2p" ? "p2p" : "group",
        message_type: type,
        content: JSON.stringify(content),
        ...(root !== undefined && { root_id: root }),
        ...(parent !== undefined && { parent_id: parent }),
        ...(thread !== undefined && { thread_id: thread }),
        ...(mentions.length > 0 && {
          mentions: mentions.map(({ key, id: whom, name }) => ({
            key,
            id: { open_id: whom, union_id: "", user_id: "" },
            name,
            tenant_key: "tenant",
          })),
        }),
      },
    };
  }

  /** Of lists. */
  itemOf(message: Message): Json {
    const { id: message_id, chat, at, author, type, content, mentions, root, parent, thread, deleted, edits } = message;
    const isPerson = this.people.has(author);
    return {
      message_id,
      msg_type: type,
      create_time: String(at),
      update_time: String(at),
      chat_id: chat.id,
      deleted,
      updated: edits > 0,
      sender: {
        id: author,
        id_type: isPerson ? "open_id" : "app_id",
        sender_type: isPerson ? "user" : "app",
        tenant_key: "tenant",
      },
      body: { content: deleted ? "This message was recalled" : JSON.stringify(content) },
      ...(root !== undefined && { root_id: root }),
      ...(parent !== undefined && { parent_id: parent }),
      ...(thread !== undefined && { thread_id: thread }),
      ...(mentions.length > 0 && {
        mentions: mentions.map(({ key, id: whom, name }) => ({
          key,
          id: whom,
          id_type: "open_id",
          name,
          tenant_key: "tenant",
        })),
      }),
    };
  }
}

function id(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString("hex")}`;
}
