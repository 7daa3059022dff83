/** One mail → one message: who it is from, what is new in it, and which conversation it belongs to. */
import { createHash } from "node:crypto";
import type { ChannelHost, ChannelInbox, ContentPart, InboundMessage, Json, OutboundPiece } from "@margay/core/plugin";
import type { FetchMessageObject } from "imapflow";
import type { Email } from "postal-mime";
import { isAuthentic } from "./authentication.ts";
import { automatic } from "./automatic.ts";
import { isOurs } from "./message-id.ts";
import type { Settings } from "./settings.ts";
import type { NewText } from "./new-text.ts";
import type { DeliveryReport } from "./report.ts";
import { type AnswerFields, answerFields, messageIds, threadIds } from "./thread.ts";
import { parseInSlices } from "./turns.ts";

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
/** A report is about one mail; of a longer list nothing more is looked up. */
const MOST_NAMED = 5;

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
  { source = Buffer.alloc(0), internalDate, size = 0 }: FetchMessageObject,
  account: Account,
  inbox: ChannelInbox,
  signal: AbortSignal,
): Promise<boolean> {
  const { id, host, settings } = account;
  let read: Read | DeliveryReport | undefined;
  try {
    read = await readMail(source, account, signal);
  } catch (error) {
    signal.throwIfAborted();
    // A form of mail that nobody foresaw: all the others come.
    host.deadLetter(source, error);
  }
  if (read === undefined) return false;
  if ("failed" in read) return cameBack(read, account, inbox);
  const { mail, from, ids } = read;
  const thread = settings.session === "perThread" ? threadOf(ids, host) : undefined;
  const chat = { chat: from, ...(thread !== undefined && { thread }) };
  const sender = { id: from, kind: "person", ...nameOf(mail) } as const;
  const isAdmitted = await inbox.admits({ from: sender, origin: { channel: id, ...chat }, chat: "private" });
  // Known before it is accepted: the answer may come at once. Strangers fill no disk.
  if (isAdmitted) await keep(read, chat, host);
  const message: InboundMessage = {
    key: keyOf(mail, source),
    origin: { channel: id, ...chat },
    from: sender,
    chat: "private",
    parts: await partsOf(read, size > source.length, host, isAdmitted),
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

/** @returns undefined: nobody is to be answered, and nothing came back. @throws what a mail is that cannot be read. */
async function readMail(
  source: Uint8Array,
  { id, host, settings }: Account,
  signal: AbortSignal,
): Promise<Read | DeliveryReport | undefined> {
  const { default: PostalMime } = await import("postal-mime");
  const othersTurn = (): Promise<void> => host.clock.sleep(0, signal);
  await othersTurn();
  const { newText } = await import("./new-text.ts");
  await othersTurn();
  const mail = await parseInSlices(PostalMime, source, othersTurn);
  const from = mail.from?.address?.trim().toLowerCase();
  const own = { addresses: [settings.from], isOwnId: (messageId: string) => isOurs(messageId, settings.domain) };
  const machine = automatic(mail, own);
  if (from === undefined || machine !== undefined) {
    host.log.info("mail.not-answered", { channel: id, why: machine?.why ?? "no-sender" });
    return machine?.report?.failed === true ? machine.report : undefined;
  }
  // Whoever can write "From:" could else speak for everybody.
  if (settings.requireAuthenticated && !isAuthentic({ headers: mail.headers, from, ...authserv(settings) })) {
    host.log.warn("mail.not-authentic", { channel: id, from });
    return undefined;
  }
  const { subject, ...fields } = answerFields(mail);
  const all = threadIds(mail);
  return {
    mail,
    from,
    said: newText(mail),
    ids: [...new Set([...all.slice(0, 1), ...all.slice(-MOST_IDS)])],
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

/** Of a mail without an id, what it is made of. */
function keyOf({ messageId }: Email, source: Uint8Array): string {
  const [found] = messageIds(messageId);
  return found ?? `sha256:${createHash("sha256").update(source).digest("hex")}`;
}

function nameOf({ from }: Email): { readonly name?: string } {
  const name = from?.name?.trim();
  return name === undefined || name === "" ? {} : { name };
}

/** @param isAdmitted Of strangers no file is kept. */
async function partsOf(
  { mail, said: { text, quoted } }: Read,
  isCut: boolean,
  host: ChannelHost,
  isAdmitted: boolean,
): Promise<readonly ContentPart[]> {
  const subject = mail.subject?.trim() ?? "";
  const words = text.trim();
  // Of an answer the conversation knows it; a command is one only at the beginning.
  const says = subject !== "" && mail.inReplyTo === undefined && !words.startsWith("/");
  const lines = [...(says ? [`Subject: ${subject}`, ""] : []), words];
  const files: ContentPart[] = [];
  const notes: string[] = [];
  if (
    mail.headers.some(
      ({ key, value }) =>
        key === "content-type" && /^multipart\/encrypted|^application\/(?:x-)?pkcs7-mime/i.test(value),
    )
  )
    notes.push("[The mail is encrypted and could not be read.]");
  if (isCut) notes.push("[The mail is larger than 36 MB: what is behind that was not read.]");
  for (const { filename, mimeType, content, disposition } of mail.attachments) {
    const bytes = typeof content === "string" ? Buffer.from(content) : new Uint8Array(content);
    const name = filename ?? (disposition === "inline" ? "picture" : "file");
    if (!isAdmitted) notes.push(`[The file ${name} was not kept: who sent it may not write here.]`);
    else if (bytes.length > host.media.maxBytes)
      notes.push(`[The file ${name} is larger than files may be here, and was not kept.]`);
    else files.push(await host.media.save(bytes, { name, mediaType: mimeType }));
  }
  // What was quoted of somebody else is theirs, and no word of the sender.
  if (quoted !== undefined && isAdmitted && !quotesUs(mail))
    files.push(await host.media.save(Buffer.from(quoted), { name: "earlier.txt", mediaType: "text/plain" }));
  return [{ type: "text", text: [...lines, ...notes].join("\n").trim() }, ...files];
}

/** The conversation has it already. */
function quotesUs({ inReplyTo }: Email): boolean {
  return messageIds(inReplyTo).some((messageId) => isOurs(messageId));
}
