/** Feishu as the suite of channels sees it. */
import type { Address } from "@margay/core";
import {
  type ChannelPeer,
  type ChannelSuite,
  type PeerFault,
  type PeerOptions,
  startCalled,
} from "@margay/core/internal/testing";
import { plugin } from "../src/index.ts";
import { textOf } from "./emulator/contents.ts";
import { startFeishu } from "./emulator/feishu.ts";
import type { Fault } from "./emulator/http.ts";
import type { Chat, Message, Person } from "./emulator/world.ts";
import { REPLYING, SENDING } from "./support.ts";

export const suite: ChannelSuite = {
  readme: new URL("../README.md", import.meta.url),
  gaps: {
    commands: "Feishu offers the menu of its console alone: /help lists them.",
    closing: "a topic is closed for nobody.",
    moves: "a chat keeps its id.",
    albums: "each file is a message of its own, without words.",
    changes: "what was changed Feishu tells nobody.",
    resume: "a connection is never taken up again: what was missed is asked for.",
    sudden: "Feishu asks for no other connection.",
    typing: "Feishu has no sign of typing.",
  },
  peer: (options) => peer(options, "socket"),
};

/** The same, where Feishu calls. */
export const calledSuite: ChannelSuite = {
  readme: new URL("../README.md", import.meta.url),
  gaps: { ...suite.gaps, reconnects: "where Feishu calls (`mode http`) there is no connection." },
  peer: (options) => peer(options, "http"),
};

const FAULTS: Readonly<Record<PeerFault, Fault>> = {
  before: "close-before",
  lost: "close-after-taking",
  half: "close-half-answer",
  garbage: "garbage",
  error: { status: 503, body: "no" },
  refused: { status: 400, body: { code: 230_001, msg: "Your request contains an invalid request parameter." } },
  markup: { status: 400, body: { code: 230_099, msg: "Failed to create card content" } },
  slow: { status: 400, body: { code: 230_020, msg: "This operation triggers the frequency limit." } },
};
const RESOURCE = "GET /im/v1/messages/:id/resources/:key";

async function peer({ clock, limits }: PeerOptions, mode: "socket" | "http"): Promise<ChannelPeer> {
  // What goes to a connection that has just ended comes again soon.
  const feishu = await startFeishu({ now: () => clock.now(), speed: 20, paced: limits === "real" });
  feishu.registration.seconds = { expires: 60, interval: 2 };
  const people = new Map<string, Person>();
  const chats = new Map<string, Chat>();
  const { secret } = feishu.world;
  const called = mode === "http" ? await startCalled(clock) : undefined;
  const { outgoing } = feishu;
  const { encryptKey, verificationToken } = outgoing;
  if (called !== undefined) outgoing.url = called.urlOf("feishu", "events");
  let isDown = false;
  feishu.fault(() => isDown, "close-before", Infinity);
  const at = (chat: Chat): Address => {
    chats.set(chat.id, chat);
    return { channel: "feishu", chat: chat.id };
  };
  const known = <Value>(map: ReadonlyMap<string, Value>, id: string): Value => {
    const found = map.get(id);
    if (found === undefined) throw new Error(`nothing is ${id}`);
    return found;
  };
  const isSend = (route: string): boolean => route === SENDING || route === REPLYING;
  return {
    id: "feishu",
    plugin,
    settings: { ...feishu.settings, ...(called !== undefined && { mode, encryptKey, verificationToken }) },
    login: {
      settings: { baseUrl: feishu.settings.baseUrl },
      act: (code, how) => void feishu.registration.scan(code, how),
    },
    ...(called !== undefined && { hooks: called.hooks, unasked: ["verificationToken"] }),
    nowhere: { channel: "feishu", chat: "oc_0123456789abcdef0123456789abcdef" },
    person(name) {
      const person = feishu.person(name);
      people.set(person.openId, person);
      return { id: person.openId, name };
    },
    chat: ({ id }) => at(feishu.dm(known(people, id))),
    group: (...members) => at(feishu.group(...members.map(({ id }) => known(people, id)))),
    thread(chat, by) {
      const root = feishu.writeUntold(known(people, by.id), known(chats, chat.chat), "a thread", { inThread: true });
      return { ...chat, thread: root.id };
    },
    write(by, to, text, { toUs, inCode, names, answers, files, untold } = {}) {
      const person = known(people, by.id);
      const chat = known(chats, to.chat);
      const say = untold === true ? feishu.writeUntold : feishu.write;
      const [file] = files ?? [];
      const ours = feishu.shown(chat).findLast(({ own }) => own)?.id;
      const answered = answers === "us" ? ours : (answers as Message | undefined)?.id; // as this gave it
      const replyTo = to.thread ?? answered;
      const meant = toUs === true ? { id: feishu.world.bot.openId, name: "margay" } : names;
      const draft = {
        ...(replyTo !== undefined && { replyTo: feishu.world.message(replyTo) }),
        ...(meant !== undefined && { mentions: [meant] }),
        ...(file !== undefined && {
          type: "file",
          content: { file_key: feishu.keep("stream", file.name, Buffer.from(file.bytes)), file_name: file.name },
        }),
      };
      // A client of Feishu sends no mention that stands in code.
      const code = inCode === true ? "`@margay` " : "";
      return say(person, chat, code + (meant === undefined ? text : `@_user_1 ${text}`), draft);
    },
    // 150 KB are the most of a text.
    writeLargest: (by, to, text) =>
      feishu.write(known(people, by.id), known(chats, to.chat), `${"word ".repeat(29_000)}${text}`),
    press(by, { chat, thread }) {
      const all = feishu.shown({ id: chat }).filter(({ root }) => root === thread);
      const found = all.findLast(({ own, buttons }) => own && buttons.length > 0);
      const [button] = found?.buttons ?? [];
      if (found === undefined || button === undefined) return false;
      void feishu.press(known(people, by.id), found.id, button.label);
      return true;
    },
    again: (message) => void feishu.tellAgain(message as Message), // as `write` gave it
    acknowledged: (message) =>
      feishu.gateway.events.some(
        ({ answer, payload }) => answer !== undefined && JSON.stringify(payload).includes((message as Message).id), // as above
      ),
    shown: ({ chat, thread }) =>
      feishu
        .shown({ id: chat })
        .filter((one) => one.own && (one.thread === undefined ? undefined : one.root) === thread)
        .map(({ text, type, content, calls, parent }) => ({
          text: type === "file" ? "" : text,
          ...quoted(parent === undefined || parent === thread ? undefined : feishu.world.messages.get(parent)),
          calls,
          files:
            type === "file"
              ? [feishu.world.files.get(String(content["file_key"]))?.name ?? "file"]
              : type === "image"
                ? ["photo"]
                : [],
          contents: [feishu.world.files.get(String(content["file_key"]))?.bytes].filter((bytes) => bytes !== undefined),
        })),
    reactions: (message) => [...(message as Message).reactions.values()], // as `write` gave it
    takeBack: (_by, _to, message) => feishu.recall(message as Message), // as `write` gave it
    fault: (how, times) => feishu.fault(isSend, FAULTS[how], times),
    slow: (seconds, chat) => feishu.flood(seconds, chat && known(chats, chat.chat)),
    break(how) {
      if (how === "cut") feishu.gateway.drop();
      else feishu.gateway.close(1000);
    },
    silence(isSilent) {
      if (isSilent) feishu.gateway.halfOpen();
    },
    connections: () => feishu.gateway.ready(),
    down() {
      isDown = true;
      outgoing.isDown = true;
      feishu.gateway.down = true;
      feishu.gateway.drop();
    },
    up() {
      isDown = false;
      outgoing.isDown = false;
      feishu.gateway.down = false;
      outgoing.retry();
    },
    shutOut: ({ chat }) => void (known(chats, chat).hasBot = false),
    revoke(isRevoked) {
      feishu.world.secret = isRevoked ? "another one" : secret;
      feishu.expireTokens();
      if (isRevoked) feishu.gateway.drop();
    },
    garbage(what) {
      if (what === "frame" && called !== undefined) void outgoing.send("{", outgoing.signed("{"));
      else if (what === "frame") feishu.gateway.raw("{");
      else if (what === "future") feishu.gateway.tell("telepathy.begun_v1", { id: "7" });
      else feishu.gateway.tell("im.message.receive_v1", { message: { message_id: "om_7" } });
    },
    noise(what, by, chat) {
      if (what === "own") feishu.writeAs(feishu.world.appId, known(chats, chat.chat), "to 77");
      else if (what === "bot") feishu.writeAs("cli_another", known(chats, chat.chat), "@margay to 77");
      else feishu.gateway.tell("im.chat.member.user.added_v1", { chat_id: chat.chat, users: [{ name: by.name }] });
    },
    loseFile: (how) =>
      feishu.fault(
        RESOURCE,
        how === "gone" ? { status: 404, body: "gone" } : how === "hang" ? "hang-after-taking" : "garbage",
      ),
    failFile: (times) => feishu.fault("POST /im/v1/files", FAULTS.error, times),
    [Symbol.asyncDispose]: async () => {
      await called?.[Symbol.asyncDispose]();
      await outgoing.settled();
      await feishu[Symbol.asyncDispose]();
    },
  };
}

function quoted(message: Message | undefined): { readonly quotes?: string } {
  if (message === undefined || message.deleted) return {};
  return { quotes: textOf(message.type, message.content) };
}
