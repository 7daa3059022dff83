/** Telegram as the suite of channels sees it. */
import type { Address } from "@margay/core";
import type { ChannelPeer, ChannelSuite, PeerFault, PeerOptions, PeerWriting } from "@margay/core/internal/testing";
import type { BotCommand, Chat, Message, MessageEntity, User } from "grammy/types";
import { plugin } from "../src/index.ts";
import { realClock } from "./emulator/clock.ts";
import type { FaultKind } from "./emulator/faults.ts";
import { startTelegram, type Telegram } from "./emulator/telegram.ts";
import type { Sent, Written } from "./emulator/written.ts";

export const suite: ChannelSuite = {
  readme: new URL("../README.md", import.meta.url),
  gaps: {
    login: "its settings are typed in.",
    reconnects: "it asks for messages, and keeps no connection.",
    resume: "it asks for messages, and keeps no connection.",
    sudden: "it asks for messages, and keeps no connection.",
  },
  peer,
};

const FAULTS: Readonly<Record<PeerFault, FaultKind>> = {
  before: "close-before",
  lost: "close-after-taking",
  half: "close-half-answer",
  garbage: "garbage",
  error: { status: 502, body: { ok: false, error_code: 502, description: "Bad Gateway" } },
  refused: { status: 400, body: { ok: false, error_code: 400, description: "Bad Request: not like this" } },
  markup: { status: 400, body: { ok: false, error_code: 400, description: "Bad Request: can't parse entities: x" } },
  slow: {
    status: 429,
    body: { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: 1 } },
  },
};
const SENDS = ["sendMessage", "sendDocument", "sendPhoto", "sendMediaGroup"];

async function peer({ clock, limits }: PeerOptions): Promise<ChannelPeer> {
  const telegram = await startTelegram({ clock: { ...realClock, now: () => clock.now() }, ...(limits && { limits }) });
  let silent = false;
  telegram.fault({ when: () => silent, how: "hang", times: Infinity });
  const users = new Map<string, User>();
  const written: Message[] = [];
  const isSend = (method: string): boolean => SENDS.includes(method);
  const place = ({ chat, thread }: Address): { readonly id: number; readonly thread?: number } => ({
    id: Number(chat),
    ...(thread !== undefined && { thread: Number(thread) }),
  });
  const at = (chat: Pick<Chat, "id">): Address => ({ channel: "telegram", chat: String(chat.id) });
  const callsSomebody = ({ type, offset, length }: MessageEntity, text: string): boolean =>
    type === "text_mention" ||
    (type === "mention" &&
      [...users.values()].some(({ username }) => text.slice(offset + 1, offset + length).toLowerCase() === username));
  const known = (id: string): User => {
    const user = users.get(id);
    if (user === undefined) throw new Error(`nobody is ${id}`);
    return user;
  };
  return {
    id: "telegram",
    plugin,
    settings: { token: telegram.token, baseUrl: telegram.url },
    nowhere: { channel: "telegram", chat: "123" },
    person(name) {
      const user = telegram.person(name, { username: name.toLowerCase().replaceAll(/\W/g, "_") });
      users.set(String(user.id), user);
      return { id: String(user.id), name };
    },
    chat: ({ id }) => at(telegram.privateChat(known(id))),
    group: (...members) =>
      at(
        telegram.group(
          "Trip",
          members.map(({ id }) => known(id)),
        ),
      ),
    thread(_chat, by) {
      // Topics are of large groups: the private chat stands for one with them.
      const group = at(telegram.forum("Topics", [known(by.id)]));
      return { ...group, thread: String(telegram.topic(Number(group.chat), "Topic", known(by.id))) };
    },
    write(by, to, text, how = {}) {
      const { id, thread } = place(to);
      const { names, answers } = how;
      const other = names === undefined ? "" : `@${known(names.id).username ?? ""} `;
      const ours = telegram.shown(id).findLast(({ own }) => own)?.id;
      const replyTo = answers === "us" ? ours : (answers as Message | undefined)?.message_id; // as this gave it
      const message = telegram.write(known(by.id), id, {
        ...wordsOf(telegram, other + text, how),
        ...(thread && { thread }),
        ...(replyTo !== undefined && { replyTo }),
      });
      written.push(message);
      return message;
    },
    // 100 updates are the most of one answer: those of somebody whom nobody knows are read all the same.
    writeLargest(by, to, text) {
      const crowd = telegram.person("Crowd");
      const said = "many words ".repeat(372);
      const entities = Array.from({ length: 100 }, (_, at) => ({ type: "bold" as const, offset: at * 11, length: 4 }));
      for (let n = 1; n < 100; n += 1) telegram.write(crowd, telegram.privateChat(crowd), { text: said, entities });
      telegram.write(known(by.id), place(to).id, { text });
    },
    edit(by, message, text) {
      const { message_id: edit, chat } = message as Message; // as `write` gave it
      written.push(telegram.write(known(by.id), chat, { edit, text }));
    },
    press(by, to) {
      const found = telegram.shown(place(to).id).findLast(({ own, buttons }) => own && buttons.length > 0);
      const [button] = found?.buttons.flat() ?? [];
      if (found === undefined || button === undefined || !("callback_data" in button)) return false;
      void telegram.press(known(by.id), place(to).id, found.id, button.callback_data);
      return true;
    },
    again(message) {
      telegram.repeatUpdates(written.length - written.indexOf(message as Message)); // as `write` gave it
    },
    acknowledged: (message) =>
      !telegram.pendingUpdates().some((update) => update.message?.message_id === (message as Message).message_id), // as above
    shown: (to) => [
      ...telegram
        .shown(place(to).id)
        .filter(({ own, thread }) => own && thread === place(to).thread)
        .map(({ text, entities, message }) => ({
          text,
          ...quoted(telegram, message),
          calls: entities.filter((one) => callsSomebody(one, text)).length,
          files: fileOf(message),
          contents: [telegram.bytes(message.document?.file_id ?? "")].filter((bytes) => bytes !== undefined),
        })),
      // What is shown below them while it is written.
      ...(to.thread === undefined ? [...telegram.drafts(place(to)).values()] : []).map(({ text }) => ({
        text,
        files: [],
        calls: 0,
      })),
    ],
    reactions: (message) => {
      const { chat, message_id: id } = message as Message; // as `write` gave it
      return telegram.shown(chat.id).find((one) => one.id === id)?.reactions ?? [];
    },
    commands: () => commandsOf(telegram),
    takeBack: (_by, to, message) => telegram.erase(place(to).id, (message as Message).message_id), // as `write` gave it
    move: (chat, by) => at(telegram.migrate(place(chat).id, known(by.id))),
    closeThread(to) {
      const { id, thread = 0 } = place(to);
      telegram.closeTopic(id, thread);
    },
    fault: (how, times) => telegram.fault({ when: isSend, how: FAULTS[how], times }),
    slow: (seconds, chat) => telegram.flood(seconds, chat && Number(chat.chat)),
    silence(isSilent) {
      silent = isSilent;
      if (isSilent) telegram.repeatUpdates(0); // who waits is answered, and asks again
    },
    down: () => telegram.down(),
    up: () => telegram.up(),
    shutOut: ({ chat }) => telegram.block(known(chat)),
    revoke(isRevoked) {
      telegram.revoke(isRevoked);
      telegram.repeatUpdates(0); // who waits is answered
    },
    garbage: (what) => garbage(telegram, what),
    noise(what, by, chat) {
      const user = known(by.id);
      const id = Number(chat.chat);
      if (what === "own") telegram.write(telegram.bot, id, "to 77");
      else if (what === "bot")
        telegram.write(telegram.person("Robot", { is_bot: true }), id, `@${telegram.bot.username} to 77`);
      else telegram.join(telegram.group("Others", [user]), telegram.person("Somebody"));
    },
    loseFile: (how) =>
      telegram.fault({
        when: "file",
        how:
          how === "gone"
            ? { status: 404, body: { ok: false, error_code: 404, description: "Not Found" } }
            : how === "hang"
              ? how
              : "garbage",
      }),
    failFile: (times) => telegram.fault({ when: "sendDocument", how: FAULTS.refused, times }),
    typingFault: (how, times) =>
      telegram.fault({ when: "sendChatAction", how: how === "refused" ? FAULTS.error : "hang", times }),
    [Symbol.asyncDispose]: () => telegram[Symbol.asyncDispose](),
  };
}

/** Of what is set for all, with what those in Chinese were set before. */
function commandsOf({ requests }: Telegram): ReturnType<NonNullable<ChannelPeer["commands"]>> {
  type Set = { readonly commands: readonly BotCommand[]; readonly language_code?: string };
  const sets = requests
    .filter(({ method }) => method === "setMyCommands")
    .map(({ params }) => params as unknown as Set); // the schema has looked
  return sets.flatMap(({ commands, language_code: language }, place) => {
    if (language !== undefined) return [];
    const chinese = sets.slice(0, place).findLast((one) => one.language_code === "zh")?.commands ?? [];
    return [
      commands.map(({ command: name, description: en }) => ({
        name,
        en,
        zh: chinese.find(({ command }) => command === name)?.description ?? "",
      })),
    ];
  });
}

function quoted(telegram: Telegram, { chat, reply_to_message: answered }: Message): { readonly quotes?: string } {
  const there = telegram.shown(chat.id).find(({ id }) => id === answered?.message_id);
  return there === undefined ? {} : { quotes: there.text };
}

function wordsOf({ bot }: Telegram, text: string, { files = [], toUs, inCode }: PeerWriting): Written {
  const us = `@${bot.username}`;
  const said = toUs === true ? `${us} ${text}` : text;
  if (inCode === true) return { text: `${us} ${text}`, entities: [{ type: "code", offset: 0, length: us.length }] };
  const sent = files.map(({ name, bytes }): { readonly document: Sent } => ({ document: { name, bytes } }));
  const [only, more] = sent;
  if (only === undefined) return { text: said };
  return more === undefined ? { text: said, ...only } : { text: said, album: sent };
}

function fileOf({ document, photo, audio, voice, video }: Message): readonly string[] {
  if (document !== undefined) return [document.file_name ?? "document"];
  const kind = Object.entries({ photo, audio, voice, video }).find(([, value]) => value !== undefined);
  return kind === undefined ? [] : [kind[0]];
}

/** Nothing else is on its way: what has a higher number than what waits would confirm that. */
async function garbage(telegram: Telegram, what: "frame" | "future" | "hole"): Promise<void> {
  await telegram.until(() => telegram.pendingUpdates().length === 0 && telegram.isPolling());
  const id = telegram.skipUpdateIds(1);
  const update = { frame: { message: 7 }, future: { telepathy: { id: "7" } }, hole: { message: { message_id: 1 } } };
  telegram.fault({
    when: "getUpdates",
    how: { status: 200, body: { ok: true, result: [{ update_id: id, ...update[what] }] } },
  });
}
