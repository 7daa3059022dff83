// What Telegram remembers: people, chats, topics, messages, files. Methods change it from the bot's side, people from theirs.

import type { BotCommand, Chat, ChatMember, Message, User, UserFromGetMe } from "grammy/types";

import type { EmulatorClock } from "./clock.ts";
import type { Limits } from "./limits.ts";
import { badRequest, Refusal } from "./refusal.ts";
import type { Updates } from "./updates.ts";

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: Buffer;
  readonly size: number;
  path?: string;
  pathUntil?: number;
}

/** What a message says, apart from who, where and when. */
export type Content = Partial<Omit<Message, "message_id" | "date" | "chat" | "from">>;

export interface Entry {
  message: Message;
  readonly reactions: Map<number, string>;
}

export interface Topic {
  name: string;
  closed: boolean;
}

export interface Draft {
  readonly text: string;
  readonly canStop: boolean;
  readonly thread?: number;
  readonly until: number;
}

export interface Room {
  chat: Exclude<Chat, Chat.ChannelChat>;
  readonly members: Map<number, ChatMember["status"]>;
  readonly topics: Map<number, Topic>;
  readonly messages: Map<number, Entry>;
  readonly drafts: Map<number, Draft>;
  lastId: number;
  movedTo?: number;
}

/** A button that was pressed and waits for its answer. */
export interface Press {
  readonly until: number;
  answer(said: { readonly text?: string; readonly alert: boolean; readonly url?: string }): void;
}

/** The topic that has no thread of its own. */
export const GENERAL = 1;

export class World {
  readonly clock: EmulatorClock;
  readonly me: UserFromGetMe;
  readonly updates: Updates;
  readonly limits: Limits;
  readonly people = new Map<number, User>();
  readonly rooms = new Map<number, Room>();
  readonly files = new Map<string, StoredFile>();
  readonly presses = new Map<string, Press>();
  readonly commands = new Map<string, readonly BotCommand[]>();
  #count = 0;
  #lastId = 0;

  constructor(clock: EmulatorClock, me: UserFromGetMe, updates: Updates, limits: Limits) {
    this.clock = clock;
    this.me = me;
    this.updates = updates;
    this.limits = limits;
  }

  /** A number that no other thing has. */
  next(): number {
    return ++this.#count;
  }

  seconds(): number {
    return Math.floor(this.clock.now() / 1000);
  }

  open(chat: Room["chat"], members: readonly User[], bot: ChatMember["status"]): Room {
    const room: Room = {
      chat,
      members: new Map([...members.map((user) => [user.id, "member"] as const), [this.me.id, bot]]),
      topics: new Map(),
      messages: new Map(),
      drafts: new Map(),
      lastId: chat.type === "supergroup" ? GENERAL : 0, // the first message says that it was made
    };
    this.rooms.set(chat.id, room);
    return room;
  }

  /** @throws Refusal when the bot does not know the chat. */
  room(id: number | string): Room {
    const name = String(id);
    const room = name.startsWith("@")
      ? [...this.rooms.values()].find(({ chat }) => chat.type === "supergroup" && `@${chat.username ?? ""}` === name)
      : this.rooms.get(Number(name));
    if (room === undefined) throw badRequest("chat not found");
    return room;
  }

  /** @throws Refusal when the bot may not write there. */
  writable(id: number | string): Room {
    const room = this.room(id);
    const { type } = room.chat;
    if (room.movedTo !== undefined)
      throw new Refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", {
        migrate_to_chat_id: room.movedTo,
      });
    const status = room.members.get(this.me.id);
    if (type === "private") {
      if (status === "kicked") throw new Refusal(403, "Forbidden: bot was blocked by the user");
    } else if (status === "kicked") throw new Refusal(403, `Forbidden: bot was kicked from the ${type} chat`);
    else if (status === "left") throw new Refusal(403, `Forbidden: bot is not a member of the ${type} chat`);
    return room;
  }

  isAdmin(room: Room, user: number): boolean {
    return ["creator", "administrator"].includes(room.members.get(user) ?? "");
  }

  /** A message that exists, or `undefined`. */
  entry(room: Room, id: number): Entry | undefined {
    return room.messages.get(id);
  }

  /** Supergroups count their own messages; private chats and groups of a bot share one count. */
  post(room: Room, from: User, content: Content): Entry {
    const id = room.chat.type === "supergroup" ? ++room.lastId : ++this.#lastId;
    const message: Message = { message_id: id, from, chat: room.chat, date: this.seconds(), ...content };
    const entry: Entry = { message, reactions: new Map() };
    room.messages.set(id, entry);
    return entry;
  }

  /** `message_thread_id` as a message carries it. @param answered the message it answers */
  threadOf(room: Room, thread: number | undefined, answered?: Message): Content {
    if (room.topics.size > 0 || (room.chat.type === "supergroup" && room.chat.is_forum === true)) {
      const topic = thread ?? (answered?.is_topic_message === true ? answered.message_thread_id : undefined);
      return topic === undefined || topic === GENERAL ? {} : { message_thread_id: topic, is_topic_message: true };
    }
    if (room.chat.type !== "supergroup" || answered === undefined) return {};
    return { message_thread_id: answered.message_thread_id ?? answered.message_id };
  }

  store(name: string, bytes: Buffer, size: number = bytes.length): StoredFile {
    const id = `BQACAgIAAxk${String(this.next()).padStart(8, "0")}`;
    const file: StoredFile = { id, name, bytes, size };
    this.files.set(id, file);
    return file;
  }
}
