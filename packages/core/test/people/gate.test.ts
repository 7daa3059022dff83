// What becomes of a message in a group: the table of addressing, from facts of the platform alone.
import { expect, test } from "vitest";
import type { InboundMessage } from "../../src/contract/bus.ts";
import type { GroupManners } from "../../src/contract/people.ts";
import { gate, type Gate, type GateFacts } from "../../src/people/gate.ts";

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const CODE = "```";

interface Case extends Partial<Omit<GateFacts, "manners">> {
  readonly is: string;
  readonly text?: string;
  readonly addressed?: InboundMessage["addressed"];
  readonly bot?: true;
  readonly agoMs?: number;
  readonly manners?: Partial<GroupManners>;
  readonly to: Gate;
}

const named: readonly Case[] = [
  { is: "a word to all", to: "hear" },
  { is: "a mention of us", addressed: "named", to: "answer" },
  { is: "a reply to us", addressed: "reply", to: "answer" },
  { is: "a command to us", addressed: "command", text: "/weather", to: "answer" },
  { is: "a command of ours", command: "help", text: "/help", to: "answer" },
  { is: "a command of another bot", text: "/help@other_bot", to: "hear" },
  { is: "a mention of somebody else", addressed: "other", to: "hear" },
  { is: "a reply to somebody else", addressed: "other", text: "yes", to: "hear" },
  { is: "a reply to somebody else that names us", addressed: "other", text: "ask Mia", to: "answer" },
  { is: "our name", text: "what do you think, Mia?", to: "answer" },
  { is: "our name alone", text: "mia", to: "answer" },
  { is: "our name in capitals", text: "MIA!", to: "answer" },
  { is: "our name behind an at", text: "@mia come", to: "answer" },
  { is: "our name between Chinese words", text: "请Mia看看", to: "answer" },
  { is: "our name inside a word", text: "Miami is warm", to: "hear" },
  { is: "our name at the end of a word", text: "insomnimia", to: "hear" },
  { is: "our name in an address", text: "see https://mia.test/x", to: "hear" },
  { is: "our name in a mail address", text: "mia@example.org", to: "hear" },
  { is: "our name in code", text: "run `mia --help` first", to: "hear" },
  { is: "our name in a block of code", text: `${CODE}\nmia\n${CODE}`, to: "hear" },
  { is: "our name in a block that is not closed", text: `${CODE}\nmia`, to: "hear" },
  { is: "our name in a quote", text: "> Mia said so\nreally?", to: "hear" },
  { is: "a quote, and our name behind it", text: "> he said so\nMia, is it true?", to: "answer" },
  { is: "another name of ours", text: "hey robot", manners: { names: ["Mia", "robot"] }, to: "answer" },
  { is: "no names at all", text: "hey Mia", manners: { names: [] }, to: "hear" },
  { is: "a blank name", text: "hey", manners: { names: [" "] }, to: "hear" },
  { is: "somebody who is not admitted", addressed: "named", isAdmitted: false, to: "hear" },
  { is: "a command of somebody who is not admitted", command: "new", isAdmitted: false, to: "hear" },
  { is: "another bot", bot: true, addressed: "named", to: "hear" },
  { is: "another bot, where they may", bot: true, addressed: "named", manners: { bots: "named" }, to: "answer" },
  { is: "another bot that says our name", bot: true, text: "Mia", manners: { bots: "named" }, to: "hear" },
  { is: "another bot after three", bot: true, addressed: "reply", bots: 3, manners: { bots: "named" }, to: "hear" },
  { is: "an hour old", addressed: "named", agoMs: 60 * MINUTE, to: "answer" },
  { is: "seven hours old", addressed: "named", agoMs: 420 * MINUTE, to: "hear" },
  { is: "a command of a quarter of an hour ago", command: "new", agoMs: 15 * MINUTE, to: "late" },
  { is: "a clock that is ahead", addressed: "named", agoMs: -10 * MINUTE, to: "answer" },
];

const follows = { manners: { follow: true }, last: { by: "eva", at: NOW - 5 * MINUTE } } as const;
const others: readonly Case[] = [
  { is: "who was answered just now goes on", ...follows, to: "answer" },
  { is: "somebody else goes on", ...follows, last: { by: "bob", at: NOW }, to: "hear" },
  { is: "who was answered goes on with somebody else", ...follows, addressed: "other", to: "hear" },
  { is: "who was answered goes on too late", ...follows, last: { by: "eva", at: NOW - 11 * MINUTE }, to: "hear" },
  { is: "all: a word to all", manners: { mode: "all" }, to: "answer" },
  { is: "all: a word to somebody else", manners: { mode: "all" }, addressed: "other", to: "hear" },
  { is: "listen: a mention", manners: { mode: "listen" }, addressed: "named", to: "hear" },
  { is: "listen: a command", manners: { mode: "listen" }, command: "digest", to: "answer" },
  { is: "off: a mention", manners: { mode: "off" }, addressed: "named", to: "drop" },
  { is: "off: an operator calls us in", manners: { mode: "off" }, command: "here", role: "operator", to: "answer" },
  { is: "off: a member calls us in", manners: { mode: "off" }, command: "here", role: "member", to: "drop" },
  {
    is: "off: an old call",
    manners: { mode: "off" },
    command: "here",
    role: "operator",
    agoMs: 11 * MINUTE,
    to: "drop",
  },
];

test.each([...named, ...others])("PE51 $is: $to", ({ text = "nice weather", addressed, bot, agoMs = 0, ...given }) => {
  const { is: _is, to, manners, ...facts } = given;
  const message: InboundMessage = {
    key: "1",
    origin: { channel: "telegram", chat: "-100" },
    from: { id: "eva", kind: "person", ...(bot === true && { bot }) },
    parts: [{ type: "text", text }],
    chat: "group",
    sentAt: NOW - agoMs,
    ...(addressed !== undefined && { addressed }),
  };
  const usual: GroupManners = { mode: "named", names: ["Mia"], follow: false, bots: "heard" };
  const known: GateFacts = { manners: { ...usual, ...manners }, role: "member", isAdmitted: true, now: NOW, bots: 0 };
  expect(gate(message, { ...known, ...facts })).toBe(to);
});

test("PE51 a group that nobody called us into is not read", () => {
  const message: InboundMessage = {
    key: "1",
    origin: { channel: "telegram", chat: "-100" },
    from: { id: "eva", kind: "person" },
    parts: [{ type: "text", text: "Mia?" }],
    chat: "group",
    addressed: "named",
  };
  const facts: GateFacts = { manners: undefined, role: "operator", isAdmitted: true, now: NOW, bots: 0 };
  expect(gate(message, facts)).toBe("drop");
  expect(gate(message, { ...facts, command: "here" })).toBe("answer");
});
