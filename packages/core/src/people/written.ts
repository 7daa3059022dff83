/** What stands in a conversation of a message: without secrets, under its sender's name there, with what it answers. */
import type { Clock, Ids, Millis } from "../contract/base.ts";
import type { InboundMessage, Quote } from "../contract/bus.ts";
import type { ContentPart, Marks, Sender, SentFile, UserMessage } from "../contract/message.ts";
import type { Audience } from "../contract/people.ts";
import type { Session, SessionState } from "../contract/session.ts";
import { neutral } from "../lib/neutral.ts";
import { sameAddress } from "../lib/session-key.ts";
import { ellipsis, writtenAt } from "../lib/text.ts";

export interface WritingOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Absent: nobody but the owner and their guests is there. */
  readonly place?: (session: Session, message: InboundMessage, text: string) => Promise<Placed>;
  /** What is told with the next message of a conversation, once. */
  readonly reactions?: {
    readonly waiting: { has(sessionKey: string): boolean };
    readonly told: (sessionKey: string) => string;
  };
  /** What one person writes within that time of their last line belongs to it; 0: nothing does. */
  readonly burstMs: (channel: string) => Millis;
  /** Whether the model gets the pictures of a message before its text. */
  readonly mediaFirst: () => boolean;
  /** Removes known secrets: what a person pastes would go to the model and into the journal. */
  readonly redact: (text: string) => string;
  /** Whether a person's words steer the agent in this conversation: those of others are a stranger's text. */
  readonly steers: (session: Session, message: InboundMessage) => boolean;
}

/** What a message of a group is in its conversation. */
export interface Placed {
  readonly name: string;
  readonly text: string;
  readonly speaker: Audience;
  /** Somebody who steers nothing: their message waits for a turn of its own. */
  readonly queued: boolean;
  readonly heard?: { readonly last: string; readonly message: UserMessage };
}

export interface Written {
  readonly written: UserMessage;
  /** Goes in front of it. */
  readonly before: Before | undefined;
  readonly placed: Placed | undefined;
  readonly late: boolean;
  readonly joins: boolean;
}

/** A promise only in groups: nothing comes between who asks and its commit. @param id of one that is there already. */
export type Write = (session: Session, message: InboundMessage, id?: string) => Written | Promise<Written>;

export function createWriting(options: WritingOptions): Write {
  return (session, message, given) => {
    const { place, redact, ids } = options;
    const id = given ?? ids.next("m");
    const isOurs = message.from.kind !== "person" || options.steers(session, message);
    // An operator's own words stay as they were typed, also beside a picture.
    const isTheirs = isOurs && message.marks?.integrity === undefined;
    const clean = (text: string): string => redact(isTheirs ? text : neutral(text));
    const write = (placed: Placed | undefined): Written =>
      writtenAs(message, { id, placed, clean, isOurs, isTheirs }, session, options);
    if (message.chat !== "group" || message.from.kind !== "person" || place === undefined) return write(undefined);
    const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    return place(session, message, clean(text)).then(write);
  };
}

interface Known {
  readonly id: string;
  readonly placed: Placed | undefined;
  readonly clean: (text: string) => string;
  /** A word of somebody whose conversation it is, or a program's of this process. */
  readonly isOurs: boolean;
  readonly isTheirs: boolean;
}

function writtenAs(
  message: InboundMessage,
  { id, placed, clean, isOurs, isTheirs }: Known,
  session: Pick<Session, "state" | "received">,
  { clock, ids, redact, mediaFirst, burstMs, reactions }: WritingOptions,
): Written {
  const { from, origin, quotes, sentAt } = message;
  const at = clock.now();
  const name = placed?.name ?? (isTheirs ? from.name : from.name && neutral(from.name));
  const parts = ordered(message.parts, mediaFirst()).map((part) =>
    part.type === "text" ? { ...part, text: clean(part.text) } : part,
  );
  const late = writtenAt(sentAt, at);
  const foreign = (text: string): string => neutral(redact(text));
  const isTold = from.kind === "person" && reactions?.waiting.has(session.state.key) === true;
  const told = isTold ? reactions.told(session.state.key) : "";
  const lines = [quoteLine(quotes, from, foreign), late, told].filter((line) => line !== "");
  const written: UserMessage = {
    role: "user",
    id,
    at,
    from: name === undefined ? from : { ...from, name },
    parts: placed === undefined ? withLines(parts, lines) : inOneText(parts, [placed.text, ...lines]),
    ...(message.files !== undefined && message.files.length > 0 && { files: message.files }),
    ...unnamedIn(message),
    ...(message.marks ?? marksOf(message, isOurs)),
  };
  const isHere = quotes !== undefined && session.received(origin.channel, quotes.key);
  const before = withQuoted(placed?.heard, quotes, { from, isHere, clean: foreign, id: () => ids.next("m"), at });
  return { written, before, placed, late: late !== "", joins: isMore(session.state, message, burstMs, at) };
}

/** Whether somebody goes on with what they said a moment ago, which still waits. */
export function isMore(
  { pending }: SessionState,
  { from, origin, replyTo = origin }: InboundMessage,
  burstMs: (channel: string) => Millis,
  now: Millis,
): boolean {
  const last = pending.at(-1);
  if (last === undefined || from.kind !== "person" || last.message.from.id !== from.id) return false;
  // Also after a clock was set back.
  return sameAddress(last.replyTo, replyTo) && Math.abs(now - last.message.at) < burstMs(origin.channel);
}

/** Of whom a message does not say the name. */
export function unnamedIn({ origin, unnamed: ids = [] }: InboundMessage): Pick<UserMessage, "unnamed"> {
  return ids.length === 0 ? {} : { unnamed: { origin, ids } };
}

function withLines(parts: readonly ContentPart[], lines: readonly string[]): readonly ContentPart[] {
  return lines.length === 0 ? parts : [...parts, { type: "text", text: lines.join("\n") }];
}

function inOneText(parts: readonly ContentPart[], lines: readonly string[]): readonly ContentPart[] {
  return [{ type: "text", text: lines.join("\n") }, ...parts.filter(({ type }) => type !== "text")];
}

/** As `context.mediaOrder` says; pictures between texts stay where their sender put them. */
function ordered(parts: readonly ContentPart[], mediaFirst: boolean): readonly ContentPart[] {
  const changes = parts.filter(({ type }, index) => index > 0 && type !== parts[index - 1]?.type).length;
  if (changes !== 1 || (parts[0]?.type === "media") === mediaFirst) return parts;
  const second = parts.findIndex(({ type }) => type !== parts[0]?.type);
  return [...parts.slice(second), ...parts.slice(0, second)];
}

/** A picture or a file was made by somebody else, whoever sends it on. */
function marksOf({ parts, files = [] }: InboundMessage, isOurs: boolean): Marks {
  return isOurs && files.length === 0 && parts.every(({ type }) => type === "text") ? {} : { integrity: "untrusted" };
}

/** Of our own words: they are in the conversation, and this says which. */
const OWN_CHARS = 300;
/** Of somebody else's: nobody here may have seen them. */
const FOREIGN_CHARS = 2000;
const NAME_CHARS = 40;

/** What goes into the context in front of a message. `last`: key of the last heard line in it. */
export interface Before {
  readonly last?: string;
  readonly message: UserMessage;
}

/** The line of the message itself; "" when it answers nothing. @param clean without secrets and marks of ours */
function quoteLine(quotes: Quote | undefined, from: Sender, clean: (text: string) => string): string {
  if (quotes === undefined) return "";
  const text = ellipsis(oneLine(clean(quotes.text ?? "")), OWN_CHARS);
  if (quotes.own) return text === "" ? "(in answer to a message of yours)" : `(in answer to your message: “${text}”)`;
  const isTheirs = quotes.from.id === from.id;
  if (isTheirs) return text === "" ? "" : `(about their own message: “${text}”)`;
  return `(in answer to a message of ${nameOf(quotes.from)})`;
}

/**
 * Somebody else's words go in front of the message, as a stranger's text, and so do the files of whoever it is.
 * @param before what goes there anyway
 */
function withQuoted(
  before: Before | undefined,
  quotes: Quote | undefined,
  {
    from,
    isHere,
    clean,
    id,
    at,
  }: {
    readonly from: Sender;
    /** It is in the conversation itself. */
    readonly isHere: boolean;
    readonly clean: (text: string) => string;
    readonly id: () => string;
    readonly at: Millis;
  },
): Before | undefined {
  if (quotes === undefined || quotes.own) return before;
  const isTheirs = quotes.from.id === from.id;
  // Their own words stand with the message; the files of what was only heard stand nowhere yet.
  const text = isTheirs ? "" : ellipsis(clean(quotes.text ?? "").trim(), FOREIGN_CHARS);
  const files: readonly SentFile[] = (isTheirs && isHere ? undefined : quotes.files) ?? [];
  if (text === "" && files.length === 0) return before;
  const said =
    `What the next message answers:\n[${nameOf(quotes.from)}] ${text.replaceAll(/\n(?=\s*\[)/g, "\n  ")}`.trimEnd();
  const quoted = { type: "text", text: said } as const;
  const sent = files.length > 0 && { files };
  if (before !== undefined)
    return { ...before, message: { ...before.message, parts: [...before.message.parts, quoted], ...sent } };
  const message: UserMessage = {
    role: "user",
    id: id(),
    at,
    from: { id: "quote", kind: "agent" },
    parts: [quoted],
    integrity: "untrusted",
    ...sent,
  };
  return { message };
}

function nameOf({ name, id }: Sender): string {
  const plain = oneLine(neutral(name ?? id).replaceAll(/[[\]]/g, " "));
  return [...(plain === "" ? "?" : plain)].slice(0, NAME_CHARS).join("");
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
