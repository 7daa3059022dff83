/** A prosody as the suite of channels sees it: one for all of it, with accounts that no two of its cases share. */
import type { Address } from "@margay/core";
import type { ChannelPeer, ChannelSuite } from "@margay/core/internal/testing";
import { xml } from "@xmpp/client";
import { plugin } from "../src/index.ts";
import { NS } from "../src/names.ts";
import { ROOMS, startXmppServer, type XmppServer } from "./peer.ts";
import { DOMAIN, PASSWORD, type Person } from "./person.ts";

interface Written {
  readonly id: string;
  readonly from: string;
  readonly chat: string;
}

const NOWHERE = `nobody@${DOMAIN}`;
const ACCOUNTS = Array.from({ length: 400 }, (_, index) => `user${index}`);

export const suite: ChannelSuite = {
  readme: new URL("../README.md", import.meta.url),
  gaps: {
    reactions: "its sign of typing is shown in every chat.",
    commands: "no command can be offered: /help lists them.",
    login: "its settings are typed in.",
    acknowledges: "the server keeps what was read, and it is read on from there.",
    albums: "it takes and sends no files.",
    buttons: "there are none: a question prints the words to send.",
    bots: "no account says that it is a program.",
    closing: "there are no threads.",
    moves: "a room keeps its address.",
    calls: "no text of ours calls anybody.",
    edits: "corrections are read by few clients, and ours are not sent.",
    files: "it takes and sends no files.",
    "files-out": "it takes and sends no files.",
    "lost-files": "it takes and sends no files.",
    markup: "a server does not look into the text.",
    paced: "a server that has too much says nothing of how long.",
    resume: "a session that is gone is the business of the archive.",
    sudden: "a server asks for no other connection.",
    threads: "a chat and a room are one conversation each.",
    typing: "signs of typing go over the connection of all, and nobody answers them.",
  },
  peer,
};

let server: Promise<XmppServer> | undefined;
let accounts = 0;
let sayings = 0;

/** Ends what its cases have started: for each file that registers some, as files share one module when they share a worker. */
export async function endSuite(): Promise<void> {
  const started = server;
  server = undefined;
  await (await started)?.[Symbol.asyncDispose]();
}

async function peer(): Promise<ChannelPeer> {
  const house = await (server ??= startXmppServer({ accounts: ACCOUNTS }));
  house.proxy.closed = false;
  const next = (): string => ACCOUNTS[accounts++] ?? "";
  const bot = next();
  const jid = `${bot}@${DOMAIN}`;
  const people = new Map<string, Person>();
  const rooms = new Map<string, Person>();
  /** By the id that its writer chose, until it is taken back. */
  const said = new Map<string, string>();
  const at = (chat: string): Address => ({ channel: "xmpp", chat });
  const known = (id: string): Person => {
    const person = people.get(id);
    if (person === undefined) throw new Error(`nobody is ${id}`);
    return person;
  };
  const lastIn = (chat: string): Written | undefined => {
    const ours = (rooms.get(chat) ?? known(chat)).seen.filter(({ from }) => from.startsWith(`${chat}/margay`));
    const last = ours.at(-1);
    return last && { id: last.id, from: last.from, chat };
  };
  return {
    id: "xmpp",
    plugin,
    get settings() {
      const host = { host: "127.0.0.1", port: house.proxy.port, security: "none" };
      return { jid, password: PASSWORD, ...host, rooms: [...rooms.keys()], nickname: "margay" };
    },
    nowhere: at(NOWHERE),
    faultless: ["half", "garbage", "error", "refused", "markup", "slow"],
    breaks: 5,
    few: 5,
    async person(name) {
      const person = await house.person(next());
      people.set(person.jid, person);
      return { id: person.jid, name };
    },
    chat: ({ id }) => at(id),
    async group(...members) {
      const room = `room${accounts}@${ROOMS}`;
      for (const [index, { id, name }] of members.entries()) {
        await known(id).joins(room, name);
        if (index === 0)
          await known(id).configures(room, {
            "muc#roomconfig_whois": "anyone",
            "muc#roomconfig_persistentroom": "1",
          });
        if (index === 0) rooms.set(room, known(id));
      }
      return at(room);
    },
    async write(by, { chat }, text, { toUs, inCode, names, answers } = {}) {
      const person = known(by.id);
      const other = names === undefined ? "" : `${names.name}: `;
      const words = inCode === true ? `\`margay\` ${text}` : toUs === true ? `margay: ${text}` : other + text;
      const answered = answers === "us" ? lastIn(chat) : (answers as Written | undefined); // as this gave it
      const more =
        answered === undefined ? [] : [xml("reply", { xmlns: NS.reply, to: answered.from, id: answered.id })];
      const id = `said-${(sayings += 1)}`;
      said.set(id, text);
      await person.write(rooms.has(chat) ? chat : jid, words, { id, more });
      await person.settled();
      return { id, from: rooms.has(chat) ? `${chat}/${by.name}` : by.id, chat } satisfies Written;
    },
    // 256 KiB are the most of a stanza there.
    async writeLargest(by, _to, text) {
      await known(by.id).write(jid, `${"word ".repeat(50_000)}${text}`);
      await known(by.id).settled();
    },
    async edit(by, message, text) {
      const { id, chat } = message as Written; // as `write` gave it
      const person = known(by.id);
      const more = [xml("replace", { xmlns: NS.correction, id })];
      await person.write(rooms.has(chat) ? chat : jid, text, { more });
      await person.settled();
    },
    async takeBack(by, _to, message) {
      const { id } = message as Written; // as `write` gave it
      said.delete(id);
      await known(by.id).send(xml("message", { to: jid, type: "chat" }, xml("retract", { xmlns: NS.retraction, id })));
      await known(by.id).settled();
    },
    // It is read from the archive again.
    async again(_message, host) {
      await host.state.setCursor({ [jid]: { at: 0 } });
      house.proxy.cut();
    },
    async shown({ chat }) {
      const person = rooms.get(chat) ?? known(chat);
      await person.settled();
      const own = person.seen.filter(({ from }) => from.startsWith(rooms.has(chat) ? `${chat}/margay` : jid));
      return own.map(({ text, stanza }) => {
        const answered = stanza.getChild("reply", NS.reply)?.attrs["id"];
        const quotes = said.get(answered ?? "");
        return { text, files: [], calls: 0, ...(quotes !== undefined && { quotes }) };
      });
    },
    fault: (how) => void house.proxy.breakAt({ says: "<body", passes: how === "lost" }),
    break: (how) => (how === "cut" ? house.proxy.cut() : house.proxy.sayGoodbye()),
    silence(isSilent) {
      if (isSilent) house.proxy.halfOpen();
    },
    connections: () => house.proxy.open,
    down() {
      house.proxy.closed = true;
      house.proxy.cut();
    },
    up: () => void (house.proxy.closed = false),
    shutOut: ({ chat }) => known(chat).blocks(jid, true),
    revoke(isRevoked) {
      house.setPassword(bot, isRevoked ? "another" : PASSWORD);
      if (isRevoked) house.proxy.cut();
    },
    readsAll: true,
    async garbage(what) {
      const [person] = people.values();
      const inner = {
        frame: xml("body", { xmlns: "jabber:client" }, "\u0007".replace("\u0007", "")),
        future: xml("thought", { xmlns: "urn:xmpp:telepathy:0" }),
        hole: xml("encrypted", { xmlns: "eu.siacs.conversations.axolotl" }),
      };
      await person?.send(xml("message", { to: jid, type: "chat" }, inner[what]));
    },
    async noise(what, by) {
      if (what === "own") {
        const other = await house.person(bot, "another");
        await other.write(by.id, "to 77");
        await other.settled();
        return;
      }
      await known(by.id).send(xml("message", { to: jid, type: "chat" }, xml("paused", { xmlns: NS.chatState })));
    },
    [Symbol.asyncDispose]: () => {
      for (const person of people.values()) person.leave();
      house.proxy.closed = false;
      return Promise.resolve();
    },
  };
}
