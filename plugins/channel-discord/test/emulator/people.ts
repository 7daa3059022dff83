// The side of the people: who is there, where they meet, what they write and press.

import {
  type APIChannel,
  type APIMessage,
  type APIUser,
  ChannelType,
  MessageFlags,
  MessageReferenceType,
  MessageType,
} from "discord-api-types/v10";

import type { Upload } from "./http.ts";
import type { Interaction } from "./interactions.ts";
import type { Guild, Lack, Room, World } from "./world.ts";

/** How something is written. */
export interface Writing {
  readonly replyTo?: { readonly id: string };
  readonly files?: readonly Upload[];
  /** Someone's message is passed on. */
  readonly forward?: { readonly content: string };
  readonly stickers?: readonly string[];
  /** Default: an ordinary message. */
  readonly type?: MessageType;
  /** Spoken into the phone: the file is that. */
  readonly voice?: true;
  /** By a webhook, and not by the account. */
  readonly webhook?: boolean;
  /** When, in the past. */
  readonly at?: number;
}

/** Somewhere that has an id. */
export interface Place {
  readonly id: string;
}

export class People {
  readonly #world: World;
  readonly #interactions: Map<string, Interaction>;

  constructor(world: World, interactions: Map<string, Interaction>) {
    this.#world = world;
    this.#interactions = interactions;
  }

  /** A new account. */
  person(name: string, { bot = false }: { readonly bot?: boolean } = {}): APIUser {
    return this.#world.user(name, bot);
  }

  /** Their private channel with the bot. */
  dm(user: APIUser): Place {
    return this.#world.dm(user);
  }

  /** A guild that the bot is in, and these too. */
  guild(name: string, ...members: readonly APIUser[]): Guild {
    const { me, guilds } = this.#world;
    const guild: Guild = { id: this.#world.id(), name, members: new Map(), roles: new Map() };
    for (const { id } of [me, ...members]) guild.members.set(id, { roles: [] });
    guilds.set(guild.id, guild);
    return guild;
  }

  channel({ id: guild }: Guild, name: string): Place {
    const channel = { id: this.#world.id(), type: ChannelType.GuildText, guild_id: guild, name, position: 0 };
    return this.#open(channel as APIChannel, guild, "CHANNEL_CREATE"); // what else it has no bot of ours reads
  }

  thread({ id: parent }: Place, name: string): Place {
    const { guild = "" } = this.#room(parent);
    const metadata = { archived: false, auto_archive_duration: 1440, archive_timestamp: "", locked: false };
    const about = { type: ChannelType.PublicThread, guild_id: guild, name, parent_id: parent };
    const channel = { ...about, id: this.#world.id(), thread_metadata: metadata, owner_id: this.#world.me.id };
    return this.#open(channel as unknown as APIChannel, guild, "THREAD_CREATE", parent); // as above
  }

  role(guild: Guild, name: string, ...holders: readonly APIUser[]): { readonly id: string } {
    const role = { id: this.#world.id(), name };
    guild.roles.set(role.id, role as never); // as above
    for (const { id } of holders) guild.members.get(id)?.roles.push(role.id);
    return role;
  }

  /** The bot is thrown out, and sees nothing of it any more. */
  kick(guild: Guild): void {
    guild.members.delete(this.#world.me.id);
    this.#world.tell({ type: "GUILD_DELETE", data: { id: guild.id }, intent: 1 });
  }

  /** The bot may not do it there. */
  deny({ id }: Place, ...lacks: readonly Lack[]): void {
    for (const lack of lacks) this.#room(id).lacks.add(lack);
  }

  /** They take no private messages of the bot. */
  shut({ id }: APIUser): void {
    this.#world.closed.add(id);
  }

  archive({ id }: Place): void {
    const { channel } = this.#room(id);
    if ("thread_metadata" in channel && channel.thread_metadata !== undefined) channel.thread_metadata.archived = true;
  }

  write(author: APIUser, { id }: Place, content: string, how: Writing = {}): APIMessage {
    const room = this.#room(id);
    const answered = how.replyTo === undefined ? undefined : room.messages.get(how.replyTo.id);
    const snapshot = how.forward === undefined ? undefined : { message: { content: how.forward.content } };
    return this.#world.say(
      room,
      author,
      {
        content,
        ...(how.files !== undefined && { files: how.files }),
        ...(how.type !== undefined && { type: how.type }),
        ...(how.voice === true && { flags: MessageFlags.IsVoiceMessage }),
        ...(how.webhook === true && { webhook_id: author.id }),
        ...(how.stickers !== undefined && {
          sticker_items: how.stickers.map((name) => ({ id: this.#world.id(), name, format_type: 1 })),
        }),
        ...(how.replyTo !== undefined && {
          type: MessageType.Reply,
          message_reference: { type: MessageReferenceType.Default, message_id: how.replyTo.id, channel_id: id },
          referenced_message: answered ?? null,
          // A reply names whom it answers, unless that is switched off.
          mentions: answered === undefined || answered.author.id === author.id ? [] : [answered.author],
        }),
        ...(snapshot !== undefined && {
          message_reference: { type: MessageReferenceType.Forward, channel_id: id },
          message_snapshots: [snapshot as never], // as above
        }),
      },
      how.at,
    );
  }

  edit({ id, channel_id: channel }: APIMessage, content: string): APIMessage {
    const room = this.#room(channel);
    return this.#world.edit(room, this.#world.message(room, id), content);
  }

  delete({ id, channel_id: channel }: APIMessage): void {
    this.#world.remove(this.#room(channel), id);
  }

  /** Presses a button of a message. */
  press(
    user: APIUser,
    { id, channel_id: channel }: Pick<APIMessage, "id" | "channel_id">,
    button: string,
  ): Interaction {
    const message = this.#world.message(this.#room(channel), id);
    if (!JSON.stringify(message.components ?? []).includes(JSON.stringify(button)))
      throw new Error(`there is no button ${button}`);
    return this.#interact(user, channel, 3, { message, data: { component_type: 2, custom_id: button } });
  }

  /** Chooses a command of the bot. @param words behind it */
  command(user: APIUser, { id: channel }: Place, name: string, words?: string): Interaction {
    const known = this.#world.commands.at(-1)?.find((one) => one.name === name);
    if (known === undefined) throw new Error(`there is no command ${name}`);
    if (words !== undefined && (known.options ?? []).length === 0) throw new Error(`/${name} takes no words`);
    const options = words === undefined ? [] : [{ name: "words", type: 3, value: words }];
    return this.#interact(user, channel, 2, { data: { id: this.#world.id(), name, type: 1, options } });
  }

  #interact(user: APIUser, channel: string, type: number, what: Readonly<Record<string, unknown>>): Interaction {
    const room = this.#room(channel);
    const token = `interaction-${this.#interactions.size + 1}`;
    const interaction: Interaction = { id: this.#world.id(), token, room, at: this.#world.now() };
    this.#interactions.set(interaction.id, interaction);
    const who = room.guild === undefined ? { user } : { member: { user, roles: [] }, guild_id: room.guild };
    const where = { id: interaction.id, token, type, version: 1, channel_id: channel, ...who };
    const data = { ...where, application_id: this.#world.me.id, ...what };
    this.#world.tell({ type: "INTERACTION_CREATE", data, intent: 0 });
    return interaction;
  }

  #open(channel: APIChannel, guild: string, type: string, parent?: string): Place {
    const room = this.#world.open(channel, guild, parent);
    this.#world.tell({ type, data: { ...channel }, intent: 1 });
    return room;
  }

  #room(id: string): Room {
    const room = this.#world.rooms.get(id);
    if (room === undefined) throw new Error(`there is no channel ${id}`);
    return room;
  }
}
