/** One stanza → what it says, or why it says nothing to us. No I/O. */
import { createHash } from "node:crypto";
import type { InboundMessage } from "@margay/core/plugin";
import { isOurs } from "./message-id.ts";
import { type Archived, NS, type Stanza, stampOf } from "./names.ts";
import { bareOf, resourceOf } from "./settings.ts";

/** Who we are in a room, and who the others are. */
export interface RoomView {
  readonly nickname: string;
  /** Everybody there sees everybody's address. */
  readonly isOpen: boolean;
  /** The bare address behind a nickname, as far as the room says it. */
  addressOf(nickname: string): string | undefined;
}

/** What is ours. */
export interface Reader {
  readonly jid: string;
  readonly resource: string;
  room(address: string): RoomView | undefined;
}

/** A message of a person. */
export interface Incoming {
  readonly key: string;
  /** The address of the person, or of the room. */
  readonly chat: string;
  readonly kind: "private" | "group";
  readonly from: { readonly id: string; readonly name?: string };
  readonly addressed?: NonNullable<InboundMessage["addressed"]>;
  readonly text: string;
  /** What they answer. */
  readonly quotes?: NonNullable<InboundMessage["quotes"]>;
  /** What its writer calls it: {@link saidAs}. */
  readonly said?: string;
  /** It takes the place of the one that is called so. */
  readonly corrects?: string;
  readonly sentAt?: number;
  /** Where it lies in the archive of the account or the room. */
  readonly archived?: string;
  /** By what an answer names it (XEP-0461). Absent: its writer, or the room, gave it no id. */
  readonly named?: { readonly to: string; readonly id: string };
  /** They want to know that it came. */
  readonly receipt?: { readonly to: string; readonly id: string };
}

/** A message is taken back. */
export interface Retraction extends Pick<Incoming, "key" | "chat" | "kind" | "archived"> {
  /** Its key, or what its writer calls it. */
  readonly of: { readonly key: string } | { readonly said: string };
  /** Who says so. Absent: the room, which lets only some do it. */
  readonly from?: Incoming["from"];
}

export type Reading = { readonly message: Incoming } | { readonly retraction: Retraction } | { readonly why: string };

/** Ids are chosen by who writes, and are theirs alone. @param from with the nickname, in a room */
export function saidAs(from: string, id: string): string {
  return `${from} ${id}`;
}

/** Its text, instead of what nobody here can read. */
export const UNREADABLE = "[The message is encrypted (OMEMO) and could not be read. Ask for it without encryption.]";

/** @param kept Where it was found, when it comes from an archive. */
export function readMessage(stanza: Stanza, reader: Reader, kept?: Archived): Reading {
  const { from = "", type = "normal" } = stanza.attrs;
  const sender = bareOf(from);
  const silent = silence(stanza, sender, reader);
  if (silent !== undefined) return { why: silent };
  const isGroup = type === "groupchat";
  const archived = kept?.id ?? archiveIdOf(stanza, isGroup ? sender : reader.jid);
  const taken = retractionIn(stanza);
  if (taken !== undefined) return readRetraction(stanza, taken, reader, archived, kept !== undefined);
  const body = bodyOf(stanza);
  if (body === undefined) return { why: "no-text" };
  const sentAt = kept?.at ?? stampOf(stanza.getChild("delay", NS.delay));
  const writer = isGroup ? from : sender;
  const { id } = stanza.attrs;
  const corrects = stanza.getChild("replace", NS.correction)?.attrs["id"];
  // People choose an id, and rooms give one that all see.
  const name = isGroup ? archived : (stanza.getChild("origin-id", NS.ids)?.attrs["id"] ?? id);
  const about = {
    key: keyOf(stanza, archived === undefined ? undefined : `${isGroup ? sender : ""} ${archived}`),
    chat: sender,
    text: body.text,
    ...(name !== undefined && name !== "" && { named: { to: from, id: name } }),
    ...(id !== undefined && { said: saidAs(writer, id) }),
    ...(corrects !== undefined && { corrects: saidAs(writer, corrects) }),
    ...(sentAt !== undefined && { sentAt }),
    ...(archived !== undefined && { archived }),
  };
  if (isGroup) return readGroup(stanza, reader, about, body, kept !== undefined);
  const asks = stanza.getChild("request", NS.receipts) !== undefined && id !== undefined;
  return {
    message: {
      ...about,
      kind: "private",
      from: { id: sender },
      ...quotesIn(stanza, body, isReplyToUs(stanza, reader.jid)),
      ...(asks && { receipt: { to: from, id } }),
    },
  };
}

/** Why nothing is to be done, whatever its text is. */
function silence(stanza: Stanza, sender: string, { jid, resource, room }: Reader): string | undefined {
  const { type = "normal", to } = stanza.attrs;
  const has = (name: string, namespace: string): boolean => stanza.getChild(name, namespace) !== undefined;
  if (type !== "chat" && type !== "normal" && type !== "groupchat") return type; // error, headline
  if (has("sent", NS.carbons) || has("received", NS.carbons)) return "carbon";
  if (has("reactions", NS.reactions)) return "reaction";
  if (type === "groupchat") return room(sender) === undefined ? "no-room-of-ours" : undefined;
  if (sender === jid || sender === "") return "own";
  // Of another program with the same account: it read it.
  if (to !== undefined && resourceOf(to) !== undefined && resourceOf(to) !== resource) return "elsewhere";
  if (to !== undefined && bareOf(to) !== jid) return "not-to-us";
  // Nobody knows who is behind a nickname that writes in private.
  if (room(sender) !== undefined || has("x", NS.roomUser)) return "room-private";
  return undefined;
}

/** Which message is taken back, and whether the room did it. */
interface Taken {
  readonly id: string;
  readonly isByRoom: boolean;
}

function retractionIn(stanza: Stanza): Taken | undefined {
  const retract = stanza.getChild("retract", NS.retraction);
  const id = retract?.attrs["id"];
  if (id !== undefined) return { id, isByRoom: retract?.getChild("moderated", NS.moderation) !== undefined };
  // As it was until 2022.
  const fastened = stanza.getChild("apply-to", NS.fastening);
  const of = fastened?.attrs["id"];
  if (of === undefined) return undefined;
  const isByRoom = fastened?.getChild("moderated", NS.oldModeration) !== undefined;
  return isByRoom || fastened?.getChild("retract", NS.oldRetraction) !== undefined ? { id: of, isByRoom } : undefined;
}

/** Rooms name a message by their archive, people by the id that they chose. */
function readRetraction(
  stanza: Stanza,
  { id, isByRoom }: Taken,
  reader: Reader,
  archived: string | undefined,
  isKept: boolean,
): Reading {
  const { from = "", type } = stanza.attrs;
  const chat = bareOf(from);
  const isGroup = type === "groupchat";
  const nickname = resourceOf(from) ?? "";
  const key = keyOf(stanza, archived === undefined ? undefined : `${isGroup ? chat : ""} ${archived}`);
  const about = { key, chat, ...(archived !== undefined && { archived }) };
  if (!isGroup)
    return { retraction: { ...about, kind: "private", of: { said: saidAs(chat, id) }, from: { id: chat } } };
  const view = reader.room(chat);
  // Only the room itself says that somebody else has taken it away.
  if (view === undefined || isByRoom !== (nickname === "")) return { why: "retraction" };
  const writer = isByRoom ? undefined : writerIn(stanza, chat, nickname, view, isKept);
  return {
    retraction: {
      ...about,
      kind: "group",
      of: { key: `archive ${chat} ${id}` },
      ...(writer !== undefined && { from: { id: writer } }),
    },
  };
}

type About = Pick<Incoming, "key" | "chat" | "text" | "sentAt" | "archived" | "said" | "named" | "corrects">;

/** A nickname is nobody's: of what was said before, only the archive knows who it was. */
function writerIn(stanza: Stanza, chat: string, nickname: string, view: RoomView, isKept: boolean): string {
  const isOld = isKept || stanza.getChild("delay", NS.delay) !== undefined;
  return (isOld ? writerOf(stanza, view) : view.addressOf(nickname)) ?? `${chat}/${nickname}`;
}

function readGroup(stanza: Stanza, { room }: Reader, about: About, body: Body, isKept: boolean): Reading {
  const view = room(about.chat);
  const nickname = resourceOf(stanza.attrs["from"] ?? "");
  if (view === undefined || nickname === undefined || nickname === "") return { why: "room-itself" };
  const chosen = stanza.getChild("origin-id", NS.ids)?.attrs["id"] ?? stanza.attrs["id"];
  // The archive has what we said under another nickname as well.
  if (nickname === view.nickname || isOurs(chosen ?? "")) return { why: "own" };
  const isReply = isReplyToUs(stanza, `${about.chat}/${view.nickname}`);
  const addressed = isReply ? "reply" : isNamed(body.text, view.nickname) ? "named" : undefined;
  return {
    message: {
      ...about,
      kind: "group",
      from: { id: writerIn(stanza, about.chat, nickname, view, isKept), name: nickname },
      ...(addressed !== undefined && { addressed }),
      ...quotesIn(stanza, body, isReply),
    },
  };
}

/** Where all see all addresses, the archive adds the writer's. Two of them: one is made up. */
function writerOf(stanza: Stanza, { isOpen }: RoomView): string | undefined {
  if (!isOpen) return undefined;
  const items = stanza.getChildren("x", NS.roomUser).flatMap((x) => x.getChildren("item"));
  const [only, more] = items.flatMap(({ attrs }) => attrs["jid"] ?? []);
  return only === undefined || more !== undefined ? undefined : bareOf(only);
}

function isReplyToUs(stanza: Stanza, us: string): boolean {
  const reply = stanza.getChild("reply", NS.reply);
  if (reply === undefined) return false;
  const { to, id } = reply.attrs;
  if (to === undefined) return isOurs(id ?? "");
  // Nicknames are told apart by case, addresses are not.
  return us.includes("/") ? bareOf(to) === bareOf(us) && resourceOf(to) === resourceOf(us) : bareOf(to) === us;
}

interface Body {
  readonly text: string;
  readonly quoted?: string;
}

/** @returns undefined: a signal without words. */
function bodyOf(stanza: Stanza): Body | undefined {
  const encrypted = stanza.getChildElements().find(({ name }) => name === "encrypted");
  // Without a payload keys are exchanged, and nothing is said.
  if (encrypted?.getChild("payload") !== undefined || stanza.getChild("openpgp", "urn:xmpp:openpgp:0") !== undefined)
    return { text: UNREADABLE };
  if (encrypted !== undefined) return undefined;
  const bodies = stanza.getChildren("body");
  const whole = (bodies.find(({ attrs }) => attrs["xml:lang"] === undefined) ?? bodies[0])?.getText() ?? "";
  const fallback = stanza
    .getChildren("fallback", NS.fallback)
    .find(({ attrs }) => attrs["for"] === NS.reply)
    ?.getChild("body");
  if (fallback === undefined || stanza.getChild("reply", NS.reply) === undefined) return wordsOf(whole);
  const characters = [...whole];
  const place = (name: "start" | "end", usual: number): number => {
    const value = Number(fallback.attrs[name] ?? usual);
    return Number.isInteger(value) ? Math.min(Math.max(value, 0), characters.length) : usual;
  };
  const [start, end] = [place("start", 0), place("end", characters.length)];
  const quoted = characters.slice(start, Math.max(start, end)).join("").trim();
  const said = [...characters.slice(0, start), ...characters.slice(Math.max(start, end))].join("");
  const words = wordsOf(said);
  return words === undefined ? undefined : { ...words, ...(quoted !== "" && { quoted }) };
}

function wordsOf(text: string): Body | undefined {
  return text.trim() === "" ? undefined : { text };
}

/** Its text is what the client of its writer shows: nobody vouches for it. */
function quotesIn(stanza: Stanza, { quoted }: Body, own: boolean): Pick<Incoming, "quotes"> {
  const reply = stanza.getChild("reply", NS.reply);
  if (reply === undefined) return {};
  const { to = "", id = "" } = reply.attrs;
  const name = stanza.attrs["type"] === "groupchat" ? resourceOf(to) : undefined;
  const text = quoted?.replaceAll(/^> ?/gm, "");
  return {
    quotes: {
      key: id,
      own,
      // Somebody else, also when they say that it was themselves.
      from: { id: `quoted ${to}`, kind: "person", name: name ?? (to === "" ? "somebody" : bareOf(to)) },
      ...(text !== undefined && { text }),
    },
  };
}

/** Where the archive `by` has it. Ids that others put there are not ours to believe. */
export function archiveIdOf(stanza: Stanza, by: string): string | undefined {
  const found = stanza.getChildren("stanza-id", NS.ids).find(({ attrs }) => bareOf(attrs["by"] ?? "") === by);
  return found?.attrs["id"];
}

/** CH23. What senders choose is bound to them: nobody uses up the key of another's message. */
function keyOf(stanza: Stanza, archived: string | undefined): string {
  if (archived !== undefined) return `archive ${archived}`;
  const { from = "", id } = stanza.attrs;
  const chosen = stanza.getChild("origin-id", NS.ids)?.attrs["id"] ?? id;
  const sender = stanza.attrs["type"] === "groupchat" ? from : bareOf(from);
  if (chosen !== undefined && chosen !== "") return `id ${sender} ${chosen}`;
  return `sha256 ${createHash("sha256").update(stanza.toString()).digest("hex")}`;
}

// Han, kana and hangul stand beside a name without a blank.
const LETTER = String.raw`[[\p{L}\p{N}_]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]]`;

/** Whether a text calls us: the nickname, and not a part of another word. */
export function isNamed(text: string, nickname: string): boolean {
  const name = nickname
    .normalize("NFC")
    .replaceAll(/[\\^$.*+?()[\]{}|/&~!#%,:;<=>@`'"-]/g, (mark) => `\\x${mark.charCodeAt(0).toString(16)}`);
  // What stands in code is quoted, not said.
  const said = text.normalize("NFC").replaceAll(/```[^]*?(?:```|$)|`[^`\n]*`/g, " ");
  return new RegExp(`(?<!${LETTER})${name}(?!${LETTER})`, "iv").test(said);
}
