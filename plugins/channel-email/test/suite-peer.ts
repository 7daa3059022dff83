/** A mail server as the suite of channels sees it: one for all of it, with addresses that no two of its cases share. */
import { createHash } from "node:crypto";
import type { Address } from "@margay/core";
import type { ChannelPeer, ChannelSuite, PeerFault, PeerFile } from "@margay/core/internal/testing";
import PostalMime, { type Email } from "postal-mime";
import { plugin } from "../src/index.ts";
import { type MailServer, startMailServer } from "./peer.ts";
import type { SmtpFault, TakenMail } from "./smtp-receiver.ts";
import { mail, settings } from "./support.ts";

export const suite: ChannelSuite = {
  readme: new URL("../README.md", import.meta.url),
  gaps: {
    reactions: "there are no reactions.",
    commands: "no command can be offered: /help lists them.",
    login: "its settings are typed in.",
    acknowledges: "the server keeps what was read, and it is read on from there.",
    buttons: "there are none: a question prints the words to send.",
    changes: "a mail that was sent cannot be changed.",
    bots: "a program that writes mails is not answered at all.",
    closing: "nobody can close a thread.",
    moves: "an address stays what it is.",
    quotes: "each mail says in its headers which one it answers.",
    calls: "no text of a mail calls anybody.",
    edits: "a mail that has left is not to be changed.",
    groups: "it answers whoever wrote, and nobody else of those who got the mail.",
    "lost-files":
      "files come in the one fetch of their mail, before it is accepted: nobody waits for an acknowledgement, and behind a mail that is moved away nothing could be fetched.",
    markup: "a server does not look into a mail.",
    paced: "a server that has too much says nothing of how long.",
    resume: "the mailbox is read from where it was left.",
    sudden: "a server asks for no other connection.",
    tokens: "a password that is changed ends no connection that is open.",
    typing: "there is no sign of typing.",
  },
  peer,
};

const FAULTS: Readonly<Partial<Record<PeerFault, SmtpFault>>> = {
  before: { at: "mail", drop: true },
  lost: { at: "dot", drop: true, taken: true },
  garbage: { at: "mail", reply: "what?" },
  error: { at: "mail", reply: "451 4.3.0 not now" },
  refused: { at: "rcpt", reply: "554 5.7.1 never" },
};

let server: Promise<MailServer> | undefined;
let people = 0;
let mails = 0;

/** Ends what its cases have started: for each file that registers some, as files share one module when they share a worker. */
export async function endSuite(): Promise<void> {
  const started = server;
  server = undefined;
  await (await started)?.[Symbol.asyncDispose]();
}

async function peer(): Promise<ChannelPeer> {
  const house = await (server ??= startMailServer({ keepsSent: true }));
  house.smtp.isDown = false;
  house.thaw();
  house.smtp.gone.clear();
  const roots = new Map<string, string>();
  const next = (): string => `mail${(mails += 1)}`;
  const threadOf = (chat: string): Address => {
    const root = next();
    const thread = createHash("sha256").update(`<${root}@mail.test>`).digest("hex").slice(0, 20);
    roots.set(thread, root);
    return { channel: "mail", chat, thread };
  };
  return {
    id: "mail",
    plugin,
    settings: settings(house),
    faultless: ["half", "markup", "slow"],
    breaks: 2,
    few: 3,
    nowhere: { channel: "mail", chat: "nobody@mail.test" },
    person: (name) => ({ id: `anna+${(people += 1)}@mail.test`, name }),
    chat: ({ id }) => threadOf(id),
    thread: ({ chat }) => threadOf(chat),
    async write(by, { thread = "" }, text, { files = [] } = {}) {
      const raw = mailOf({ from: by.id, root: roots.get(thread) ?? "", text, files });
      await house.deliver(raw);
      return raw;
    },
    // With the largest file that is taken.
    async writeLargest(by, { thread = "" }, text) {
      const bytes = Buffer.alloc(25 * 1024 * 1024, "all that there is to say ");
      const files = [{ name: "large.txt", mediaType: "text/plain", bytes }];
      await house.deliver(mailOf({ from: by.id, root: roots.get(thread) ?? "", text, files }));
    },
    again: (message) => house.deliver(message as string), // as `write` gave it
    async shown({ chat, thread = "" }) {
      const root = `<${roots.get(thread)}@mail.test>`;
      const theirs = house.smtp.taken.filter(({ to }) => to.includes(chat));
      const all = await Promise.all(theirs.map(parsed));
      return all
        .filter(({ to, references, inReplyTo }) => {
          const isTheirs = to?.[0]?.address === chat;
          return isTheirs && (references?.includes(root) === true || inReplyTo === root || references === undefined);
        })
        .map(({ text, attachments }) => ({
          text: (text ?? "").replace(/\n$/, ""),
          files: attachments.map(({ filename }) => filename ?? "file"),
          contents: attachments.map(({ content }) => Buffer.from(content as ArrayBuffer)), // as it was parsed
          calls: 0,
        }));
    },
    fault(how, times) {
      const fault = FAULTS[how];
      if (fault !== undefined) house.smtp.misbehave(fault, times);
    },
    async break(how) {
      await (how === "cut" ? house.kill() : house.stop());
      await house.start();
    },
    silence(isSilent) {
      if (isSilent) house.freeze();
      else house.thaw();
    },
    async down() {
      house.smtp.isDown = true;
      await house.kill();
    },
    async up() {
      house.smtp.isDown = false;
      await house.start();
    },
    shutOut: ({ chat }) => void house.smtp.gone.add(chat),
    readsAll: true,
    garbage: (what) =>
      house.deliver(
        {
          frame: "\u00ff\u00fe\r\n\r\n\u0001\u0002",
          future: mail({ id: next(), from: "someone@mail.test", headers: ["X-Telepathy: 7"], text: "" }),
          hole: "Subject: nobody\r\n\r\nto 77\r\n",
        }[what],
      ),
    async noise(what, by, { thread = "" }) {
      const root = roots.get(thread) ?? "";
      if (what === "own") await house.deliver(mailOf({ from: "bot@mail.test", root, text: "to 77", files: [] }));
      else
        await house.deliver(
          mail({ id: next(), from: by.id, text: "to 77", headers: ["Auto-Submitted: auto-replied"] }),
        );
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

const known = new WeakMap<TakenMail, Promise<Email>>();

/** Once. */
function parsed(taken: TakenMail): Promise<Email> {
  const found = known.get(taken) ?? PostalMime.parse(taken.raw);
  known.set(taken, found);
  return found;
}

interface Written {
  readonly from: string;
  readonly root: string;
  readonly text: string;
  readonly files: readonly PeerFile[];
}

/** An answer within a conversation that has begun before. */
function mailOf({ from, root, text, files }: Written): string {
  const id = `mail${(mails += 1)}`;
  const headers = [`In-Reply-To: <${root}@mail.test>`, `References: <${root}@mail.test>`];
  if (files.length === 0) return mail({ id, from, text, subject: "Re: Hello", headers });
  const [head = ""] = mail({ id, from, subject: "Re: Hello", headers }).split("\r\nMIME-Version");
  const parts = files.map(({ name, mediaType, bytes }) => {
    const said = `=?utf-8?B?${Buffer.from(name).toString("base64")}?=`;
    const body = Buffer.from(bytes).toString("base64").replaceAll(/.{76}/g, "$&\r\n");
    return [
      `Content-Type: ${mediaType}; name="${said}"`,
      `Content-Disposition: attachment; filename="${said}"`,
      "Content-Transfer-Encoding: base64",
      "",
      body,
    ].join("\r\n");
  });
  const words = ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit", "", text].join("\r\n");
  return [
    head,
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    ...[words, ...parts].map((part) => `--b\r\n${part}`),
    "--b--",
    "",
  ].join("\r\n");
}
