// Who is there, where they meet, what was said.

import type { Wire } from "./http.ts";
import { refuse } from "./refusal.ts";

export interface User {
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
}

export interface Channel {
  readonly id: string;
  readonly kind: "im" | "channel" | "mpim" | "group";
  readonly name: string;
  readonly members: Set<string>;
  isArchived: boolean;
  /** By ts, the oldest first. */
  readonly messages: Map<string, Message>;
}

export interface Message {
  readonly ts: string;
  readonly user?: string;
  readonly bot_id?: string;
  readonly username?: string;
  readonly subtype?: string;
  text: string;
  readonly thread_ts?: string;
  blocks?: readonly Wire[];
  metadata?: Wire;
  edited?: boolean;
  /** Names of what the app has put below it. */
  reactions?: string[];
  readonly files?: readonly Wire[];
  readonly unfurl?: boolean;
}

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  bytes: Buffer | undefined;
  readonly length: number;
  readonly mediaType: string;
  isShared: boolean;
}

export class World {
  readonly users = new Map<string, User>();
  readonly channels = new Map<string, Channel>();
  readonly files = new Map<string, StoredFile>();
  readonly me: User;
  readonly bot = "B0MARGAY01";
  readonly now: () => number;
  url = "";
  /** A thing that the app is told of. */
  tell: (event: Wire) => void = () => {};
  #count = 0;
  #last = 0n;

  constructor(now: () => number) {
    this.now = now;
    this.me = this.user("margay", true);
  }

  id(letter: string): string {
    this.#count += 1;
    return `${letter}0${String(this.#count).padStart(8, "0")}`;
  }

  /** Each is another; of this moment each is later than the one before. */
  ts(at?: number): string {
    this.#count += 1;
    const micros = BigInt(Math.floor(at ?? this.now())) * 1000n;
    if (at === undefined) this.#last = micros > this.#last ? micros : this.#last + 1n;
    const value = String(at === undefined ? this.#last : micros + BigInt(this.#count));
    return `${value.slice(0, -6)}.${value.slice(-6)}`;
  }

  user(name: string, isBot = false): User {
    const user = { id: this.id("U"), name, isBot };
    this.users.set(user.id, user);
    return user;
  }

  open(kind: Channel["kind"], name: string, ...members: readonly User[]): Channel {
    const channel: Channel = {
      id: this.id(kind === "im" ? "D" : "C"),
      kind,
      name,
      members: new Set([this.me.id, ...members.map(({ id }) => id)]),
      isArchived: false,
      messages: new Map(),
    };
    this.channels.set(channel.id, channel);
    return channel;
  }

  im(user: User): Channel {
    const found = [...this.channels.values()].find(({ kind, members }) => kind === "im" && members.has(user.id));
    return found ?? this.open("im", "", user);
  }

  /** @throws Refusal when the bot is not there. */
  channel(id: unknown, ofMember = true): Channel {
    const channel = this.channels.get(String(id));
    if (channel === undefined) throw refuse("channel_not_found");
    if (ofMember && !channel.members.has(this.me.id))
      throw refuse(channel.kind === "channel" ? "not_in_channel" : "channel_not_found");
    return channel;
  }

  /** @returns the message, as the app is told of it. */
  say(channel: Channel, message: Message): Message {
    channel.messages.set(message.ts, message);
    this.tell(this.eventOf(channel, message));
    return message;
  }

  eventOf(channel: Channel, message: Message): Wire {
    const { metadata: _, unfurl: __, edited: ___, reactions: ____, ...told } = message;
    const root = message.thread_ts === undefined ? undefined : channel.messages.get(message.thread_ts);
    return {
      type: "message",
      ...told,
      channel: channel.id,
      channel_type: channel.kind,
      event_ts: message.ts,
      ...(root?.user !== undefined && { parent_user_id: root.user }),
    };
  }

  /** Of a thread, without what it hangs below. */
  replies(channel: Channel, root: string): readonly Message[] {
    return sorted(channel).filter(({ thread_ts: thread, ts }) => thread === root && ts !== root);
  }

  fileObject({ id, name, length, mediaType }: StoredFile): Wire {
    const address = `${this.url}/files-pri/${id}/${encodeURIComponent(name)}`;
    return {
      id,
      name,
      title: name,
      mimetype: mediaType,
      size: length,
      mode: "hosted",
      url_private: address,
      url_private_download: address,
    };
  }
}

export function sorted(channel: Channel): readonly Message[] {
  return [...channel.messages.values()].toSorted((a, b) => Number(a.ts) - Number(b.ts));
}
