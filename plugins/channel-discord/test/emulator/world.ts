// What Discord remembers: people, guilds, channels, threads, messages, files. Routes change it for the bot, people for themselves.

import { createHmac } from "node:crypto";

import {
  type APIAttachment,
  type APIChannel,
  type APIMessage,
  type APIRole,
  type APIUser,
  ChannelType,
  MessageType,
} from "discord-api-types/v10";

import type { Upload } from "./http.ts";
import { refusal } from "./refusal.ts";

/** What the bot lacks in a channel. */
export type Lack = "view" | "send" | "attach";

export interface Room {
  readonly id: string;
  channel: APIChannel;
  readonly guild?: string;
  /** Of a thread. */
  readonly parent?: string;
  readonly lacks: Set<Lack>;
  readonly messages: Map<string, APIMessage>;
}

export interface Guild {
  readonly id: string;
  name: string;
  readonly members: Map<string, { readonly roles: string[] }>;
  readonly roles: Map<string, APIRole>;
}

/** What somebody says; the rest of a message is made from who, where and when. */
export interface Draft extends Partial<Omit<APIMessage, "id" | "channel_id" | "author" | "timestamp">> {
  readonly content: string;
  readonly files?: readonly Upload[];
  /** Nobody is mentioned by it. */
  readonly quiet?: boolean;
}

/** A slash command of the bot. */
export interface Command {
  readonly name: string;
  readonly description: string;
  readonly description_localizations?: Readonly<Record<string, string>>;
  readonly options?: readonly unknown[];
}

/** What an event of the gateway says. `secret`: of messages whose text needs the intent. */
export interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly intent: number;
  readonly secret?: boolean;
}

const EPOCH = 1_420_070_400_000n;
const DAY_MS = 86_400_000;

export class World {
  readonly now: () => number;
  readonly me: APIUser;
  readonly users = new Map<string, APIUser>();
  readonly guilds = new Map<string, Guild>();
  readonly rooms = new Map<string, Room>();
  readonly files = new Map<string, { readonly name: string; readonly bytes: Buffer }>();
  /** Those who take no private messages of the bot. */
  readonly closed = new Set<string>();
  /** Each list of commands that was put, the oldest first. */
  readonly commands: (readonly Command[])[] = [];
  /** Address of the server, once it listens. */
  url = "";
  /** Signed addresses hold so long. */
  signedMs = DAY_MS;
  tell: (event: Told) => void = () => {};
  #count = 0n;

  constructor(now: () => number, name: string) {
    this.now = now;
    this.me = this.user(name, true);
  }

  /** Rising, and made of the time. */
  id(at: number = this.now()): string {
    this.#count += 1n;
    return String(((BigInt(at) - EPOCH) << 22n) | (this.#count & 0x3f_ffffn));
  }

  user(name: string, bot = false): APIUser {
    const user: APIUser = {
      id: this.id(),
      username: name.toLowerCase(),
      discriminator: bot ? "0001" : "0",
      global_name: bot ? null : name,
      avatar: null,
      ...(bot && { bot }),
    };
    this.users.set(user.id, user);
    return user;
  }

  open(channel: APIChannel, guild?: string, parent?: string): Room {
    const room: Room = {
      id: channel.id,
      channel,
      ...(guild !== undefined && { guild }),
      ...(parent !== undefined && { parent }),
      lacks: new Set(),
      messages: new Map(),
    };
    this.rooms.set(channel.id, room);
    return room;
  }

  /** The private channel with somebody: there is one. */
  dm(user: APIUser): Room {
    const found = [...this.rooms.values()].find(
      ({ channel }) => channel.type === ChannelType.DM && channel.recipients?.[0]?.id === user.id,
    );
    const channel: APIChannel = { id: this.id(), type: ChannelType.DM, name: null, recipients: [user] };
    return found ?? this.open(channel);
  }

  /** As the bot sees it. @throws Refusal when there is none, or none for the bot. */
  room(id: string): Room {
    const room = this.rooms.get(id);
    if (room === undefined) throw refusal(10_003);
    const guild = room.guild === undefined ? undefined : this.guilds.get(room.guild);
    const above = room.parent === undefined ? undefined : this.rooms.get(room.parent);
    const isIn = guild === undefined || guild.members.has(this.me.id);
    if (!isIn || room.lacks.has("view") || above?.lacks.has("view") === true) throw refusal(50_001);
    return room;
  }

  message(room: Room, id: string): APIMessage {
    const message = room.messages.get(id);
    if (message === undefined) throw refusal(10_008);
    return message;
  }

  /** Says something, and tells it. */
  say(room: Room, author: APIUser, { files = [], quiet = false, ...draft }: Draft, at = this.now()): APIMessage {
    const id = this.id(at);
    const message: APIMessage = {
      type: MessageType.Default,
      embeds: [],
      attachments: files.map((file) => this.keep(room.id, file)),
      pinned: false,
      tts: false,
      mention_roles: [],
      edited_timestamp: null,
      ...this.#named(draft.content, quiet),
      ...draft,
      id,
      channel_id: room.id,
      author,
      timestamp: new Date(at).toISOString(),
    };
    room.messages.set(id, message);
    this.announce("MESSAGE_CREATE", room, message);
    return message;
  }

  /** An event about a message, with what only events have. */
  announce(type: "MESSAGE_CREATE" | "MESSAGE_UPDATE", room: Room, message: APIMessage): void {
    const guild = room.guild === undefined ? undefined : this.guilds.get(room.guild);
    const member = guild?.members.get(message.author.id);
    const mentionsUs = message.mentions.some(({ id }) => id === this.me.id);
    this.tell({
      type,
      data: {
        ...message,
        ...(guild !== undefined && { guild_id: guild.id }),
        ...(member !== undefined && {
          member: { roles: member.roles, joined_at: new Date(0).toISOString(), deaf: false, mute: false, flags: 0 },
        }),
      },
      intent: guild === undefined ? 1 << 12 : 1 << 9,
      secret: guild !== undefined && message.author.id !== this.me.id && !mentionsUs,
    });
  }

  /** A person or the bot changes a text. */
  edit(room: Room, message: APIMessage, content: string): APIMessage {
    const edited = {
      ...message,
      content,
      ...this.#named(content, message.author.id === this.me.id),
      edited_timestamp: new Date(this.now()).toISOString(),
    };
    room.messages.set(message.id, edited);
    this.announce("MESSAGE_UPDATE", room, edited);
    return edited;
  }

  remove(room: Room, id: string): void {
    room.messages.delete(id);
    const where = { channel_id: room.id, ...(room.guild !== undefined && { guild_id: room.guild }) };
    this.tell({ type: "MESSAGE_DELETE", data: { id, ...where }, intent: room.guild === undefined ? 1 << 12 : 1 << 9 });
  }

  /** Keeps a file under an address that is signed, and holds for a while. */
  keep(channel: string, { name, type, bytes }: Upload): APIAttachment {
    const id = this.id();
    const path = `/attachments/${channel}/${id}/${encodeURIComponent(name)}`;
    this.files.set(path, { name, bytes });
    const ends = Math.floor((this.now() + this.signedMs) / 1000).toString(16);
    const url = `${this.url}${path}?ex=${ends}&is=0&hm=${signature(path, ends)}&`;
    return { id, filename: name, size: bytes.length, url, proxy_url: url, ...(type !== "" && { content_type: type }) };
  }

  /** The bytes behind a signed address. */
  fetch(path: string, query: URLSearchParams): Buffer | undefined {
    const ends = query.get("ex") ?? "";
    const holds = query.get("hm") === signature(path, ends) && Number.parseInt(ends, 16) * 1000 > this.now();
    return holds ? this.files.get(path)?.bytes : undefined;
  }

  #named(content: string, quiet: boolean): Pick<APIMessage, "mentions" | "mention_everyone"> {
    if (quiet) return { mentions: [], mention_everyone: false };
    const ids = new Set([...content.matchAll(/<@!?(\d+)>/g)].map(([, id = ""]) => id));
    const mentions = [...ids].flatMap((id) => this.users.get(id) ?? []);
    return { mentions, mention_everyone: /@(?:everyone|here)\b/.test(content) };
  }
}

function signature(path: string, ends: string): string {
  return createHmac("sha256", "emulator").update(`${path}?${ends}`).digest("hex").slice(0, 32);
}
