// The side of the people: who is there, where they meet, what they write and press.

import { buttonsIn } from "./blocks.ts";
import type { Wire } from "./http.ts";
import type { Channel, Message, User, World } from "./world.ts";

export interface Writing {
  /** The message whose thread it is. */
  readonly thread?: Message;
  readonly files?: readonly { readonly name: string; readonly type: string; readonly bytes: Buffer }[];
  /** In place of what a file is at Slack. */
  readonly fileAs?: Wire;
  readonly subtype?: string;
  /** By a program of that name, and not by the account. */
  readonly bot?: string;
  /** When, in the past. */
  readonly at?: number;
  /** The app learns nothing of it. */
  readonly isUntold?: boolean;
}

/** How the app learns of it. */
export interface Teller {
  tell(type: string, payload: Wire): void;
}

export class People {
  readonly #world: World;
  readonly #teller: Teller;

  constructor(world: World, teller: Teller, changed: () => void) {
    this.#world = world;
    this.#teller = teller;
    world.tell = (event) => {
      if (this.#quiet) return;
      this.#teller.tell("events_api", { type: "event_callback", team_id: "T1", event_id: world.id("Ev"), event });
      changed();
    };
  }

  #quiet = false;

  person(name: string): User {
    return this.#world.user(name);
  }

  /** Their private chat with the app. */
  dm(user: User): Channel {
    return this.#world.im(user);
  }

  /** A public channel that the app is in, and these too. */
  channel(name: string, ...members: readonly User[]): Channel {
    return this.#world.open("channel", name, ...members);
  }

  kick(channel: Channel): void {
    channel.members.delete(this.#world.me.id);
  }

  write(author: User, channel: Channel, text: string, how: Writing = {}): Message {
    const { thread, files, subtype, bot, at, fileAs, isUntold = false } = how;
    const stored = files?.map(({ name, type, bytes }) => {
      const file = { id: this.#world.id("F"), name, bytes, length: bytes.length, mediaType: type, isShared: true };
      this.#world.files.set(file.id, file);
      return { ...this.#world.fileObject(file), ...fileAs };
    });
    const kind = subtype ?? (files === undefined ? (bot === undefined ? undefined : "bot_message") : "file_share");
    const message: Message = {
      ts: this.#world.ts(at),
      text,
      ...(bot === undefined ? { user: author.id } : { bot_id: "B0OTHER001", username: bot }),
      ...(thread !== undefined && { thread_ts: thread.ts }),
      ...(stored !== undefined && { files: stored }),
      ...(kind !== undefined && { subtype: kind }),
    };
    this.#quiet = isUntold;
    this.#world.say(channel, message);
    // Told twice, where the app is meant.
    if (channel.kind !== "im" && text.includes(`<@${this.#world.me.id}>`)) {
      const { channel_type: _, subtype: __, ...event } = this.#world.eventOf(channel, message);
      this.#world.tell({ ...event, type: "app_mention" });
    }
    this.#quiet = false;
    return message;
  }

  /** It is told once more, as if it was new. */
  repeat(channel: Channel, message: Message): void {
    this.#world.tell(this.#world.eventOf(channel, message));
  }

  edit(channel: Channel, message: Message, text: string): void {
    const before = { ...message };
    message.text = text;
    const edited = { user: message.user, ts: this.#world.ts() };
    this.#changed(channel, before, { ...message, edited });
  }

  /** Slack has looked at an address in it: nobody has changed anything. */
  unfurl(channel: Channel, message: Message): void {
    this.#changed(
      channel,
      { ...message },
      {
        ...message,
        attachments: [{ from_url: "https://example.org", text: "Example" }],
      },
    );
  }

  #changed(channel: Channel, before: Wire, message: Wire): void {
    this.#world.tell({
      type: "message",
      subtype: "message_changed",
      hidden: true,
      channel: channel.id,
      channel_type: channel.kind,
      ts: this.#world.ts(),
      message,
      previous_message: before,
    });
  }

  /** One that has replies leaves a stone: for Slack that is a change. */
  delete(channel: Channel, message: Message): void {
    if (this.#world.replies(channel, message.ts).length > 0) {
      const stone = {
        ts: message.ts,
        thread_ts: message.ts,
        user: "USLACKBOT",
        subtype: "tombstone",
        text: "This message was deleted.",
      };
      channel.messages.set(message.ts, stone);
      return this.#changed(channel, { ...message }, { type: "message", hidden: true, ...stone });
    }
    channel.messages.delete(message.ts);
    this.#world.tell({
      type: "message",
      subtype: "message_deleted",
      hidden: true,
      channel: channel.id,
      ts: this.#world.ts(),
      deleted_ts: message.ts,
      previous_message: { ...message },
    });
  }

  /** An event with anything in it. */
  event(event: Wire): void {
    this.#world.tell(event);
  }

  /** Presses the button with that label. */
  press(user: User, channel: Channel, ts: string, label: string): Wire {
    const message = channel.messages.get(ts);
    const button = buttonsIn(message?.blocks ?? []).find((one) => one.label === label);
    if (message === undefined || button === undefined) throw new Error(`there is no button ${label}`);
    const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
    const payload = {
      type: "block_actions",
      user: { id: user.id, username: user.name.toLowerCase(), name: user.name, team_id: "T1" },
      container: { type: "message", message_ts: ts, channel_id: channel.id, is_ephemeral: false, ...thread },
      channel: { id: channel.id, name: channel.name },
      message: { ts, ...thread },
      trigger_id: this.#world.id("t"),
      response_url: "https://hooks.slack.com/actions/expires",
      actions: [
        { type: "button", action_id: button.id, block_id: "b", value: button.value, action_ts: this.#world.ts() },
      ],
    };
    this.#teller.tell("interactive", payload);
    return payload;
  }

  /** Types `/margay text`. */
  command(user: User, channel: { readonly id: string }, text: string): void {
    this.#teller.tell("slash_commands", {
      command: "/margay",
      text,
      user_id: user.id,
      user_name: user.name.toLowerCase(),
      channel_id: channel.id,
      trigger_id: this.#world.id("t"),
      response_url: "https://hooks.slack.com/commands/expires",
    });
  }
}
