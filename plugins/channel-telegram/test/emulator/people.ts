// The side of the people: they write, press, react, rename, block, kick. Nothing of it goes over HTTP.

import type { Chat, Message, Update, User } from "grammy/types";

import { memberOf, openTopic } from "./methods.ts";
import { botUser } from "./send.ts";
import { SERVICE } from "./shown.ts";
import type { Content, Entry, Room, World } from "./world.ts";
import { contentOf, placed, type Written } from "./written.ts";

/** What `answerCallbackQuery` said. `timedOut`: nothing, in time. */
export interface Pressed {
  readonly text?: string;
  readonly alert: boolean;
  readonly url?: string;
  readonly timedOut: boolean;
}

type Ref = number | { readonly id: number };

export class People {
  readonly #world: World;
  readonly #pressMs: number;
  readonly #changed: () => void;

  constructor(world: World, pressMs: number, changed: () => void) {
    this.#world = world;
    this.#pressMs = pressMs;
    this.#changed = changed;
  }

  /** Someone with an account. */
  person(name: string, more: Partial<Omit<User, "id" | "first_name">> = {}): User {
    const user = { id: 5_000_000 + this.#world.next(), is_bot: false, first_name: name, language_code: "en", ...more };
    this.#world.people.set(user.id, user);
    return user;
  }

  /** The person has pressed Start: the bot may write. */
  privateChat({ id, first_name, username }: User): Chat.PrivateChat {
    const chat: Chat.PrivateChat = { id, type: "private", first_name, ...(username !== undefined && { username }) };
    this.#world.open(chat, [], "member");
    return chat;
  }

  /** The first member owns it, the bot is in it. */
  group(title: string, members: readonly User[]): Chat.GroupChat {
    const chat: Chat.GroupChat = { id: -4_000_000 - this.#world.next(), type: "group", title };
    this.#own(this.#world.open(chat, members, "member"), members);
    return chat;
  }

  supergroup(
    title: string,
    members: readonly User[],
    more: { username?: string; is_forum?: true } = {},
  ): Chat.SupergroupChat {
    const chat: Chat.SupergroupChat = {
      id: -1_001_000_000_000 - this.#world.next(),
      type: "supergroup",
      title,
      ...more,
    };
    this.#own(this.#world.open(chat, members, "member"), members);
    return chat;
  }

  /** A supergroup with topics; there the bot is an administrator. */
  forum(title: string, members: readonly User[]): Chat.SupergroupChat {
    const chat = this.supergroup(title, members, { is_forum: true });
    this.promote(chat);
    return chat;
  }

  #own(room: Room, [owner]: readonly User[]): void {
    if (owner !== undefined) room.members.set(owner.id, "creator");
  }

  /** @returns its `message_thread_id` */
  topic(chat: Ref, name: string, by: User): number {
    const { message } = this.#tell(openTopic(this.#world, this.#room(chat), by, { name, icon_color: 0x6fb9f0 }));
    return message.message_id;
  }

  closeTopic(chat: Ref, thread: number): void {
    const topic = this.#room(chat).topics.get(thread);
    if (topic !== undefined) topic.closed = true;
  }

  deleteTopic(chat: Ref, thread: number): void {
    this.#room(chat).topics.delete(thread);
  }

  /** @returns the message; of an album the first one */
  write(user: User, chat: Ref, what: string | Written): Message {
    const room = this.#room(chat);
    const written = typeof what === "string" ? { text: what } : what;
    if (written.edit !== undefined) return this.#edit(room, written.edit, written);
    const { album = [written], text, ...rest } = written;
    const group: Content =
      written.album === undefined ? {} : { media_group_id: String(14_000_000_000 + this.#world.next()) };
    const place = placed(this.#world, room, rest);
    const [first] = album.map((item, index) => {
      const said = written.album === undefined || index > 0 || text === undefined ? item : { text, ...item };
      return this.#tell(this.#world.post(room, user, { ...place, ...group, ...contentOf(this.#world, said) }));
    });
    if (first === undefined) throw new Error("an album needs an item");
    return first.message;
  }

  #edit(room: Room, id: number, written: Written): Message {
    const entry = this.#entry(room, id);
    const { text: _t, entities: _e, caption: was, caption_entities: _c, ...rest } = entry.message;
    const { text, entities } = contentOf(this.#world, { text: written.text ?? "", entities: written.entities ?? [] });
    const isCaption = was !== undefined || _t === undefined;
    const said = isCaption
      ? { caption: text ?? "", ...(entities && { caption_entities: entities }) }
      : { text: text ?? "", ...(entities && { entities }) };
    const message = { ...rest, ...said, edit_date: this.#world.seconds() };
    entry.message = message;
    this.#add({ edited_message: message as Update["edited_message"] & object }); // people write in no channel
    return message;
  }

  /** Takes back a message: bots are not told. */
  erase(chat: Ref, id: number): void {
    this.#room(chat).messages.delete(id);
  }

  /** Resolves with what the bot answered, or when the time for it is over. */
  async press(user: User, chat: Ref, messageId: number, data: string): Promise<Pressed> {
    const { message } = this.#entry(this.#room(chat), messageId);
    const buttons = message.reply_markup?.inline_keyboard.flat() ?? [];
    if (!buttons.some((button) => "callback_data" in button && button.callback_data === data))
      throw new Error(`message ${messageId} has no button ${data}`);
    const id = String(4_000_000_000 + this.#world.next());
    const { promise, resolve } = Promise.withResolvers<Pressed>();
    const until = this.#world.clock.now() + this.#pressMs;
    this.#world.presses.set(id, { until, answer: (said) => resolve({ ...said, timedOut: false }) });
    using _timer = this.#world.clock.timer(this.#pressMs, () => resolve({ alert: false, timedOut: true }));
    this.#add({ callback_query: { id, from: user, message, chat_instance: String(message.chat.id), data } });
    return await promise;
  }

  /** @param emoji absent: takes the reaction back */
  react(user: User, chat: Ref, messageId: number, emoji?: "👍" | "👎" | "❤" | "🔥" | "🎉" | "👀"): void {
    const room = this.#room(chat);
    const { reactions } = this.#entry(room, messageId);
    const list = (what: string | undefined): { type: "emoji"; emoji: "👍" }[] =>
      what === undefined ? [] : [{ type: "emoji", emoji: what as "👍" }]; // one of those above
    const old = list(reactions.get(user.id));
    if (emoji === undefined) reactions.delete(user.id);
    else reactions.set(user.id, emoji);
    if (room.chat.type !== "private" && !this.#world.isAdmin(room, this.#world.me.id)) return;
    const at = { chat: room.chat, message_id: messageId, date: this.#world.seconds() };
    this.#add({ message_reaction: { ...at, user, old_reaction: old, new_reaction: list(emoji) } });
  }

  /** Presses the stop button of a draft. */
  stopDraft(chat: Chat.PrivateChat, draftId: number): void {
    const room = this.#room(chat);
    if (room.drafts.get(draftId)?.canStop !== true) throw new Error(`draft ${draftId} has no stop button`);
    room.drafts.delete(draftId);
    this.#add({ stopped_message_generation: { chat, draft_id: draftId } });
  }

  /** The bot is thrown out. */
  kick(chat: Ref, by: User): void {
    this.#status(this.#room(chat), by, "kicked");
  }

  /** The bot is taken in, again or for the first time. */
  add(chat: Ref, by: User): void {
    this.#status(this.#room(chat), by, "member");
  }

  block(user: User): void {
    this.#status(this.#room(user), user, "kicked");
  }

  unblock(user: User): void {
    this.#status(this.#room(user), user, "member");
  }

  /** Makes the bot an administrator. */
  promote(chat: Ref): void {
    this.#room(chat).members.set(this.#world.me.id, "administrator");
  }

  #status(room: Room, by: User, status: "kicked" | "member"): void {
    const bot = botUser(this.#world);
    const old = memberOf(this.#world, room, bot);
    room.members.set(bot.id, status);
    const change = { chat: room.chat, from: by, date: this.#world.seconds(), old_chat_member: old };
    this.#add({ my_chat_member: { ...change, new_chat_member: memberOf(this.#world, room, bot) } });
  }

  join(chat: Ref, user: User): void {
    this.#room(chat).members.set(user.id, "member");
    this.#tell(this.#world.post(this.#room(chat), user, { new_chat_members: [user] }));
  }

  leave(chat: Ref, user: User): void {
    this.#tell(this.#world.post(this.#room(chat), user, { left_chat_member: user }));
    this.#room(chat).members.set(user.id, "left");
  }

  rename(chat: Ref, title: string, by: User): void {
    const room = this.#room(chat);
    if (room.chat.type === "private") throw new Error("a private chat has no title");
    room.chat = { ...room.chat, title };
    this.#tell(this.#world.post(room, by, { new_chat_title: title }));
  }

  /** The group becomes a supergroup. @returns the new chat */
  migrate(chat: Ref, by: User): Chat.SupergroupChat {
    const old = this.#room(chat);
    if (old.chat.type !== "group") throw new Error("only a group can become a supergroup");
    const next = this.supergroup(old.chat.title, []);
    const room = this.#room(next);
    for (const [id, status] of old.members) room.members.set(id, status);
    old.movedTo = next.id;
    this.#tell(this.#world.post(old, by, { migrate_to_chat_id: next.id }));
    this.#tell(this.#world.post(room, by, { migrate_from_chat_id: old.chat.id }));
    return next;
  }

  #tell(entry: Entry): Entry {
    const room = this.#room(entry.message.chat);
    if (!this.#hears(room, entry.message)) return entry;
    if (!["kicked", "left"].includes(room.members.get(this.#world.me.id) ?? "left"))
      this.#add({ message: entry.message as Update["message"] & object }); // people write in no channel
    return entry;
  }

  /** Privacy mode: commands, replies to the bot, its name, and what is no text or file of a person. */
  #hears(room: Room, message: Message): boolean {
    const { me } = this.#world;
    const line = message.text ?? message.caption;
    if (me.can_read_all_group_messages || room.chat.type === "private" || this.#world.isAdmin(room, me.id)) return true;
    if (message.reply_to_message?.from?.id === me.id) return true;
    const called = (message.entities ?? message.caption_entities ?? []).map(({ type, offset, length }) => {
      const [name = "", at] = (line ?? "")
        .slice(offset, offset + length)
        .toLowerCase()
        .split("@");
      const isMine = at === me.username.toLowerCase();
      return type === "mention" ? name === "" && isMine : type === "bot_command" && (at === undefined || isMine);
    });
    return called.includes(true) || (line === undefined && SERVICE.some((kind) => message[kind] !== undefined));
  }

  #add(news: Parameters<World["updates"]["add"]>[0]): void {
    this.#world.updates.add(news);
    this.#changed();
  }

  #room(chat: Ref): Room {
    const room = this.#world.rooms.get(typeof chat === "number" ? chat : chat.id);
    if (room === undefined) throw new Error("no such chat: a person needs privateChat() first");
    return room;
  }

  #entry(room: Room, id: number): Entry {
    const entry = room.messages.get(id);
    if (entry === undefined) throw new Error(`no message ${id}`);
    return entry;
  }
}
