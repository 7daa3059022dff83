/** Discord as the suite of channels sees it. */
import type { Address } from "@margay/core";
import type { ChannelPeer, ChannelSuite, PeerFault, PeerOptions } from "@margay/core/internal/testing";
import { type APIMessage, type APIUser, MessageType } from "discord-api-types/v10";
import { plugin } from "../src/index.ts";
import { startDiscord } from "./emulator/discord.ts";
import type { FaultKind } from "./emulator/faults.ts";
import { SENDING, seqOf, upload } from "./support.ts";

export const suite: ChannelSuite = {
  readme: new URL("../README.md", import.meta.url),
  gaps: {
    login: "its settings are typed in.",
    markup: "Discord shows what it cannot read as it is written.",
    moves: "a chat keeps its id.",
  },
  peer,
};

const FAULTS: Readonly<Record<PeerFault, FaultKind>> = {
  before: "close-before",
  lost: "close-after-taking",
  half: "close-half-answer",
  garbage: "garbage",
  error: { status: 503, body: "no" },
  refused: { status: 400, body: { message: "Invalid Form Body", code: 50_035 } },
  markup: { status: 400, body: { message: "Invalid Form Body", code: 50_035 } },
  slow: { status: 429, body: { message: "slowly", retry_after: 1, global: false }, headers: { "retry-after": "1" } },
};

function quoted(
  all: readonly { readonly id: string; readonly text: string }[],
  id: string | undefined,
): { readonly quotes?: string } {
  const there = all.find((one) => one.id === id);
  return there === undefined ? {} : { quotes: there.text };
}

async function peer({ clock, limits }: PeerOptions): Promise<ChannelPeer> {
  const discord = await startDiscord({ now: () => clock.now(), ...(limits && { limits }) });
  const users = new Map<string, APIUser>();
  const told = new Map<unknown, number>();
  let isDown = false;
  discord.fault({ when: () => isDown, how: "close-before", times: Infinity });
  const at = ({ id }: { readonly id: string }): Address => ({ channel: "discord", chat: id });
  const place = ({ chat, thread }: Address): { readonly id: string } => ({ id: thread ?? chat });
  const lastOf = (at: { readonly id: string }): APIMessage | undefined => {
    const found = discord.shown(at).findLast(({ own }) => own);
    return found && ({ id: found.id, channel_id: at.id, author: discord.bot } as unknown as APIMessage); // all that is read
  };
  const known = (id: string): APIUser => {
    const user = users.get(id);
    if (user === undefined) throw new Error(`nobody is ${id}`);
    return user;
  };
  const room = (...members: readonly APIUser[]): { readonly id: string } =>
    discord.channel(discord.guild("Club", ...members), "general");
  return {
    id: "discord",
    plugin,
    settings: { token: discord.token, baseUrl: discord.url },
    longest: 2000,
    limit: 4000, // so many units have 2,000 characters at most
    nowhere: { channel: "discord", chat: "123456789012345678" },
    person(name) {
      const user = discord.person(name);
      users.set(user.id, user);
      return { id: user.id, name };
    },
    chat: ({ id }) => at(discord.dm(known(id))),
    group: (...members) => at(room(...members.map(({ id }) => known(id)))),
    // Threads hang below channels: the private chat stands for one.
    thread(chat, by) {
      const channel = discord.channel(discord.guild("Threads", known(by.id)), chat.chat);
      return { ...at(channel), thread: discord.thread(channel, "Thread").id };
    },
    write(by, to, text, { toUs, inCode, names, answers, files, untold } = {}) {
      const us = `<@${discord.bot.id}>`;
      const other = names === undefined ? "" : `<@${names.id}> `;
      const words = inCode === true ? `\`${us}\` ${text}` : toUs === true ? `${us} ${text}` : other + text;
      const sent = files?.map(({ name, bytes, mediaType }) => upload(name, bytes, mediaType));
      const replyTo = answers === "us" ? lastOf(place(to)) : (answers as APIMessage | undefined); // as this gave it
      const message = discord.write(known(by.id), place(to), words, {
        ...(sent && { files: sent }),
        ...(replyTo !== undefined && { replyTo }),
      });
      if (untold === true) discord.gateway.expire();
      told.set(message, discord.gateway.seq());
      return message;
    },
    // A server with all the channels, roles and emojis that one can have is told at once.
    writeLargest(by, to, text) {
      const many = <Of>(length: number, one: (id: string) => Of): readonly Of[] =>
        Array.from({ length }, (_, index) => one(String(800_000_000_000_000_000n + BigInt(index))));
      discord.gateway.dispatch("GUILD_CREATE", {
        id: "700000000000000000",
        name: "Large",
        channels: many(500, (id) => ({ id, type: 0, name: `channel-${id}`, topic: "what is it about ".repeat(60) })),
        threads: many(1000, (id) => ({ id, type: 11, name: `thread-${id}`, parent_id: id })),
        roles: many(250, (id) => ({ id, name: `role-${id}`, permissions: "0", position: 1 })),
        emojis: many(500, (id) => ({ id, name: `emoji_${id}`, animated: false })),
        members: many(250, (id) => ({ user: { id, username: `user-${id}` }, roles: [id], joined_at: "2026-01-01" })),
      });
      discord.write(known(by.id), place(to), `${"word ".repeat(380)}${text}`);
    },
    edit: (_by, message, text) => discord.edit(message as APIMessage, text), // as `write` gave it
    press(by, to) {
      const found = discord.shown(place(to)).findLast(({ own, buttons }) => own && buttons.length > 0);
      const [button] = found?.buttons ?? [];
      if (found === undefined || button === undefined) return false;
      discord.press(known(by.id), { id: found.id, channel_id: place(to).id }, button);
      return true;
    },
    again: (message) => discord.gateway.repeat(message as APIMessage), // as `write` gave it
    acknowledged: (message, host) => seqOf(host) >= (told.get(message) ?? Infinity),
    shown: (to) =>
      discord
        .shown(place(to))
        .filter(({ own }) => own)
        .map(({ text, files, calls, replyTo }) => ({
          text,
          ...quoted(discord.shown(place(to)), replyTo),
          calls: calls.length,
          files: files.map((url) => decodeURIComponent(new URL(url).pathname.split("/").at(-1) ?? "")),
          contents: files.flatMap((url) => discord.bytes(url) ?? []),
        })),
    reactions: (message) =>
      // As `write` gave it.
      discord.reactions.flatMap((one) => (one.message === (message as APIMessage).id ? [one.emoji] : [])),
    commands: () =>
      discord.commands.map((list) =>
        list.map(({ name, description: en, description_localizations: local }) => ({
          name,
          en,
          zh: local?.["zh-CN"] ?? "",
        })),
      ),
    takeBack: (_by, _to, message) => discord.delete(message as APIMessage), // as `write` gave it
    closeThread: (to) => discord.archive(place(to)),
    fault: (how, times) => discord.fault({ when: SENDING, how: FAULTS[how], times }),
    slow: (seconds, chat) => discord.flood(seconds, chat && place(chat)),
    break(how) {
      if (how === "cut") discord.gateway.drop();
      else if (how === "closed") discord.gateway.close(4000);
      else if (how === "asked") discord.gateway.reconnect();
      else discord.gateway.expire();
      if (how === "forgotten") discord.gateway.drop();
    },
    silence(isSilent) {
      if (isSilent) discord.gateway.halfOpen();
    },
    connections: () => discord.gateway.open(),
    down() {
      isDown = true;
      discord.gateway.down();
    },
    up() {
      isDown = false;
      discord.gateway.up();
    },
    shutOut({ chat }) {
      for (const user of users.values()) if (discord.dm(user).id === chat) discord.shut(user);
    },
    revoke: (isRevoked) => {
      discord.revoke(isRevoked);
      if (isRevoked) discord.gateway.close(4004);
    },
    garbage(what) {
      if (what === "frame") discord.gateway.dispatch("MESSAGE_CREATE", 7);
      else if (what === "future") discord.gateway.dispatch("TELEPATHY", { id: "7" });
      else discord.gateway.dispatch("MESSAGE_CREATE", { id: "7", channel_id: "8" });
    },
    noise(what, by, chat) {
      if (what === "own") discord.write(discord.bot, place(chat), "to 77");
      else if (what === "bot")
        discord.write(discord.person("Robot", { bot: true }), place(chat), `<@${discord.bot.id}> to 77`);
      else discord.write(known(by.id), place(chat), "to 77", { type: MessageType.ChannelPinnedMessage });
    },
    loseFile: (how) =>
      discord.fault({
        when: "GET file",
        how: how === "gone" ? { status: 404, body: "gone" } : how === "hang" ? how : "garbage",
      }),
    typingFault: (how, times) =>
      discord.fault({
        when: "POST /channels/:channel/typing",
        how: how === "refused" ? FAULTS.error : "hang",
        times,
      }),
    [Symbol.asyncDispose]: () => discord[Symbol.asyncDispose](),
  };
}
