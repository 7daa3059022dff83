/** One mail → one message: who it is from, what is new in it, and which conversation it belongs to. */
import { createHash } from "node:crypto";
import type { Accepted, ChannelHost, ChannelInbox, ContentPart, InboundMessage } from "@margay/core/plugin";
import type { FetchMessageObject } from "imapflow";
import type { Email } from "postal-mime";
import { isAuthentic } from "./authentication.ts";
import { automatic } from "./automatic.ts";
import { isOurs } from "./message-id.ts";
import type { Settings } from "./settings.ts";
import { messageIds, threadIds, threadRoot } from "./thread.ts";

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
export interface Kept {
  readonly messageId?: string;
  readonly inReplyTo?: string;
  readonly references?: string;
  readonly subject?: string;
}

/** A mail of that many bytes and more is hardly one. */
const MAX_FILE_BYTES = 25 * 1024 * 1024;
/** So long the threads of a conversation are known. */
export const KEEP_MS = 90 * 86_400_000;

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
  let mail: Email;
  try {
    const { default: PostalMime } = await import("postal-mime");
    mail = await PostalMime.parse(source, { attachmentEncoding: "arraybuffer" });
  } catch (error) {
    host.deadLetter(source, error);
    return false;
  }
  const from = mail.from?.address?.trim().toLowerCase();
  const own = { addresses: [settings.from], isOwnId: (messageId: string) => isOurs(messageId, settings.domain) };
  const machine = automatic(mail, own);
  if (from === undefined || machine !== undefined) {
    host.log.info("mail.not-answered", { channel: id, why: machine?.why ?? "no-sender" });
    return false;
  }
  // Whoever can write "From:" could else speak for everybody.
  if (settings.requireAuthenticated && !isAuthentic({ headers: mail.headers, from, ...authserv(settings) })) {
    host.log.warn("mail.not-authentic", { channel: id, from });
    return false;
  }
  const fields = fieldsOf(mail);
  const thread = settings.session === "perThread" ? await threadOf(fields, host) : undefined;
  const chat = { chat: from, ...(thread !== undefined && { thread }) };
  await host.state.setValue(keptName(chat), { ...fields });
  const sender = { id: from, kind: "person", ...nameOf(mail) } as const;
  const isAdmitted = await inbox.admits({ from: sender, origin: { channel: id, ...chat }, chat: "private" });
  const message: InboundMessage = {
    key: keyOf(mail, source),
    origin: { channel: id, ...chat },
    from: sender,
    chat: "private",
    parts: await partsOf(mail, size > source.length, host, isAdmitted),
    ...(internalDate !== undefined && { sentAt: new Date(internalDate).getTime() }),
  };
  const accepted = await inbox.accept(message);
  await answerRefused(accepted, account, chat, message.key, signal);
  return accepted.status !== "refused";
}

function authserv({ authserv: trustedAuthserv }: Settings): { readonly trustedAuthserv?: string } {
  return trustedAuthserv === undefined ? {} : { trustedAuthserv };
}

async function answerRefused(
  accepted: Accepted,
  { answer, host }: Account,
  chat: { readonly chat: string; readonly thread?: string },
  key: string,
  signal: AbortSignal,
): Promise<void> {
  if (accepted.status !== "refused") return;
  // There will be room, or the stop is taken back: it waits in the mailbox.
  if (accepted.until !== undefined) throw host.fault("again", `${accepted.reason}. The mail waits in the mailbox.`);
  if (accepted.answer === undefined) return;
  await answer(chat, accepted.answer, key).catch((error: unknown) => {
    signal.throwIfAborted();
    host.log.warn("mail.answer-failed", { message: error instanceof Error ? error.message : String(error) });
  });
}

function fieldsOf({ messageId, inReplyTo, references, subject }: Email): Kept {
  return {
    ...(messageId !== undefined && { messageId }),
    ...(inReplyTo !== undefined && { inReplyTo }),
    ...(references !== undefined && { references }),
    ...(subject !== undefined && { subject }),
  };
}

/**
 * The conversation of a mail. Each id that was seen in it leads there, as some mail programs name the last mail alone; an id of
 * ours is kept when it is sent.
 */
async function threadOf(fields: Kept, host: ChannelHost): Promise<string> {
  const ids = threadIds(fields);
  const known = ids.map((messageId) => host.state.value(idName(messageId))).find((value) => typeof value === "string");
  const thread = typeof known === "string" ? known : short(threadRoot(fields) ?? JSON.stringify(fields));
  for (const messageId of ids) await host.state.setValue(idName(messageId), thread);
  return thread;
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
  mail: Email,
  isCut: boolean,
  host: ChannelHost,
  isAdmitted: boolean,
): Promise<readonly ContentPart[]> {
  const { newText } = await import("./new-text.ts");
  const { text, quoted } = newText(mail);
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
    else if (bytes.length > MAX_FILE_BYTES) notes.push(`[The file ${name} is larger than 25 MB and was not kept.]`);
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
