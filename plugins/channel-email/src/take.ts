/** One mail → one message: who it is from, what is new in it, and which conversation it belongs to. */
import { createHash, type Hash } from "node:crypto";
import type { ChannelHost, ChannelInbox, InboundMessage, Json, OutboundPiece } from "@margay/core/plugin";
import type { Email } from "postal-mime";
import { isAuthentic } from "./authentication.ts";
import { automatic } from "./automatic.ts";
import { isOurs } from "./message-id.ts";
import type { Settings } from "./settings.ts";
import type { NewText } from "./new-text.ts";
import type { DeliveryReport } from "./report.ts";
import { type AnswerFields, answerFields, messageIds, threadIds } from "./thread.ts";
import { filesOf, partsOf } from "./files.ts";
import { Interrupted, parseMail, type TakeFile } from "./parse.ts";

/** One account of the configuration, at work. */
export interface Account {
  readonly id: string;
  readonly settings: Settings;
  readonly host: ChannelHost;
  /** Says to a sender what the channel may tell. */
  readonly answer: (
    to: { readonly chat: string; readonly thread?: string },
    text: string,
    key: string,
  ) => Promise<void>;
}

/** What an answer needs of the mail it answers: kept for each conversation. */
export type Kept = AnswerFields;

/** So long the threads of a conversation are known. */
export const KEEP_MS = 90 * 86_400_000;
/** Of a conversation, beside its first: a mail with thousands of references is made to slow somebody down. */
const MOST_IDS = 20;
const LONGEST_SUBJECT = 900;
/** What is kept of a mail that cannot be read. */
const HEAD_BYTES = 65_536;
/** A report is about one mail; of a longer list nothing more is looked up. */
const MOST_NAMED = 5;

/** A mail as it comes. */
export interface ComingMail {
  /** @throws what the server throws. */
  readonly source: AsyncIterable<Uint8Array>;
  readonly internalDate?: Date | string;
  /** What is behind its end was not asked for. */
  readonly isCut: () => boolean;
}

/** All that a mail says, as far as anybody can read it. */
interface Read {
  readonly mail: Email;
  readonly from: string;
  readonly said: NewText;
  readonly ids: readonly string[];
  readonly answer: AnswerFields;
}

/**
 * @returns whether it was taken; false: nobody is to be answered.
 * @throws a fault: it is to be offered again.
 */
export async function takeMail(
  { source, internalDate, isCut }: ComingMail,
  account: Account,
  inbox: ChannelInbox,
  signal: AbortSignal,
): Promise<boolean> {
  const { host } = account;
  // Asked once, of its headers: before its first file is kept.
  let admitted: Promise<boolean> | undefined;
  const admits = (mail: Email, from: string): Promise<boolean> =>
    (admitted ??= inbox.admits({ ...placeOf(mail, from, account), chat: "private" }));
  const { files, take } = filesOf(host, async (mail) => {
    const standing = standingOf(mail, account);
    return "from" in standing && admits(mail, standing.from);
  });
  const seen = { hash: createHash("sha256"), head: Buffer.alloc(0) };
  let read: Read | DeliveryReport | undefined;
  try {
    read = await readMail(watched(source, seen), take, account, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Interrupted) throw error.cause;
    // A form of mail that nobody foresaw: all the others come.
    host.deadLetter(seen.head, error);
  }
  if (read === undefined) return false;
  if ("failed" in read) return cameBack(read, account, inbox);
  const { mail, from: address } = read;
  const { from, origin } = placeOf(mail, address, account);
  const { channel: _, ...chat } = origin;
  const isAdmitted = await admits(mail, address);
  // Known before it is accepted: the answer may come at once. Strangers fill no disk.
  if (isAdmitted) await keep(read, chat, host);
  const message: InboundMessage = {
    key: messageIds(mail.messageId)[0] ?? `sha256:${seen.hash.digest("hex")}`, // what it is made of
    origin,
    from,
    chat: "private",
    parts: await partsOf({ mail, ...read.said, files, isCut: isCut(), isAdmitted }, host),
    ...(internalDate !== undefined && { sentAt: new Date(internalDate).getTime() }),
  };
  const accepted = await inbox.accept(message);
  if (accepted.status !== "refused") return true;
  const say = async (text: string): Promise<void> => {
    await keep(read, chat, host);
    await account.answer(message.origin, text, message.key);
  };
  await host.refused(accepted, { chat: "private", where: "in the mailbox", say, signal });
  return false;
}

/** What a mail is kept by that cannot be read, or has no id. */
async function* watched(
  source: AsyncIterable<Uint8Array>,
  seen: { readonly hash: Hash; head: Buffer },
): AsyncGenerator<Uint8Array> {
  for await (const part of source) {
    seen.hash.update(part);
    if (seen.head.length === 0) seen.head = Buffer.from(part.subarray(0, HEAD_BYTES));
    yield part;
  }
}

/** As far as its headers say it. */
function placeOf(
  mail: Email,
  address: string,
  { id, host, settings }: Account,
): Pick<InboundMessage, "from" | "origin"> {
  const thread = settings.session === "perThread" ? threadOf(idsOf(mail), host) : undefined;
  return {
    from: { id: address, kind: "person", ...nameOf(mail) },
    origin: { channel: id, chat: address, ...(thread !== undefined && { thread }) },
  };
}

/** Who is to be answered, or why nobody is. */
function standingOf(
  mail: Email,
  { settings }: Pick<Account, "settings">,
): { readonly from: string } | { readonly why: string; readonly address?: string; readonly report?: DeliveryReport } {
  const from = mail.from?.address?.trim().toLowerCase();
  const own = { addresses: [settings.from], isOwnId: (messageId: string) => isOurs(messageId, settings.domain) };
  const machine = automatic(mail, own);
  if (machine !== undefined) return machine;
  if (from === undefined) return { why: "no-sender" };
  // Whoever can write "From:" could else speak for everybody.
  const isProved =
    !settings.requireAuthenticated || isAuthentic({ headers: mail.headers, from, ...authserv(settings) });
  return isProved ? { from } : { why: "not-authentic", address: from };
}

/** @returns undefined: nobody is to be answered, and nothing came back. @throws Interrupted; what a mail is that cannot be read. */
async function readMail(
  source: AsyncIterable<Uint8Array>,
  take: TakeFile,
  account: Account,
  signal: AbortSignal,
): Promise<Read | DeliveryReport | undefined> {
  const { id, host } = account;
  const { default: PostalMime } = await import("postal-mime");
  const othersTurn = (): Promise<void> => host.clock.sleep(0, signal);
  await othersTurn();
  const { newText } = await import("./new-text.ts");
  await othersTurn();
  const mail = await parseMail(PostalMime, source, { othersTurn, take });
  const standing = standingOf(mail, account);
  if (!("from" in standing)) {
    const { why, address: from, report } = standing;
    if (from === undefined) host.log.info("mail.not-answered", { channel: id, why });
    else host.log.warn("mail.not-authentic", { channel: id, from });
    return report?.failed === true ? report : undefined;
  }
  const { subject, ...fields } = answerFields(mail);
  return {
    mail,
    from: standing.from,
    said: newText(mail),
    ids: idsOf(mail),
    answer: { ...fields, subject: subject.slice(0, LONGEST_SUBJECT).replace(/[\uD800-\uDBFF]$/, "") },
  };
}

function authserv({ authserv: trustedAuthserv }: Settings): { readonly trustedAuthserv?: string } {
  return trustedAuthserv === undefined ? {} : { trustedAuthserv };
}

/**
 * A mail of ours came back. Anybody can write such a report: it has to name a Message-ID that we sent, each counts once, and what it says
 * is shown to a person as the words of a stranger.
 */
async function cameBack(
  { messageIds: named, reason }: DeliveryReport,
  { id, host, settings }: Account,
  inbox: ChannelInbox,
): Promise<boolean> {
  let isNoted = false;
  for (const messageId of named.filter((one) => isOurs(one, settings.domain)).slice(0, MOST_NAMED)) {
    const sent = host.state.value(idName(messageId));
    if (!isSent(sent)) continue;
    const { reply, chat, thread } = sent;
    const to = { channel: id, chat, ...(thread !== undefined && { thread }) };
    isNoted = (await inbox.undelivered({ reply, to, reason })) === "noted" || isNoted;
    await host.state.setValue(idName(messageId), thread);
  }
  return isNoted;
}

/** What is kept of a mail of ours, by its Message-ID: which conversation an answer to it is of, and what did not arrive when it comes back. */
type SentValue = { readonly reply: string; readonly chat: string; readonly thread?: string };

export function sentValue({ reply, to: { chat, thread } }: Pick<OutboundPiece, "reply" | "to">): SentValue {
  return { reply, chat, ...(thread !== undefined && { thread }) };
}

function isSent(value: Json | undefined): value is SentValue {
  return typeof value === "object" && value !== null && "reply" in value; // written by `sentValue`
}

/** The conversation that one of these ids is known to be of, else a new one, named by the first. */
function threadOf(ids: readonly string[], { state }: ChannelHost): string {
  const known = ids.map((messageId) => state.value(idName(messageId)));
  const [thread] = known.flatMap((value) =>
    isSent(value) ? (value.thread ?? []) : typeof value === "string" ? value : [],
  );
  return thread ?? short(ids[0] ?? "");
}

/** Each id that was seen in a conversation leads there, as some mail programs name the last mail alone; an id of ours is kept when it is sent. */
async function keep(
  { ids, answer }: Read,
  chat: { readonly chat: string; readonly thread?: string },
  { state }: ChannelHost,
): Promise<void> {
  const { thread } = chat;
  if (thread !== undefined) for (const messageId of ids) await state.setValue(idName(messageId), thread);
  await state.setValue(keptName(chat), { ...answer, references: [...answer.references] });
}

/** Where a conversation keeps what its next answer needs. */
export function keptName({ chat, thread = "" }: { readonly chat: string; readonly thread?: string }): string {
  return `kept-${short(`${chat}\n${thread}`)}`;
}

/** Where a Message-ID says which conversation it is of. */
export function idName(messageId: string): string {
  return `id-${short(messageId.toLowerCase())}`;
}

function short(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 20);
}

function idsOf(mail: Email): readonly string[] {
  const all = threadIds(mail);
  return [...new Set([...all.slice(0, 1), ...all.slice(-MOST_IDS)])];
}

function nameOf({ from }: Email): { readonly name?: string } {
  const name = from?.name?.trim();
  return name === undefined || name === "" ? {} : { name };
}
