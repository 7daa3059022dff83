/** Files of a mail: kept while they come, where who sent it may write here. */
import type { ChannelHost, ContentPart, MediaPart } from "@margay/core/plugin";
import type { Attachment, Email } from "postal-mime";
import { isOurs } from "./message-id.ts";
import type { NewText } from "./new-text.ts";
import type { TakeFile } from "./parse.ts";
import { messageIds } from "./thread.ts";

/** Undefined: it is larger than files may be here, or who sent it may not write. */
type Kept = MediaPart | undefined;

interface Files {
  /** By what stands for it in the mail. */
  readonly files: ReadonlyMap<Attachment["content"], Kept>;
  readonly take: TakeFile;
}

class TooLarge extends Error {}

/** @param mayWrite Of strangers no file is kept. */
export function filesOf(host: ChannelHost, mayWrite: (mail: Email) => Promise<boolean>): Files {
  const files = new Map<Attachment["content"], Kept>();
  const take: TakeFile = async (file, bytes, mail) => {
    files.set(file.content, undefined);
    if (await mayWrite(mail)) files.set(file.content, await kept(file, bytes, host));
  };
  return { files, take };
}

/** @throws what `bytes` throws, or a store. */
async function kept(file: Attachment, bytes: AsyncIterable<Uint8Array>, { media }: ChannelHost): Promise<Kept> {
  try {
    return await media.save(limited(bytes, media.maxBytes), { name: nameOf(file), mediaType: file.mimeType });
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

async function* limited(bytes: AsyncIterable<Uint8Array>, max: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > max) throw new TooLarge();
    yield part;
  }
}

function nameOf({ filename, disposition }: Attachment): string {
  return filename ?? (disposition === "inline" ? "picture" : "file");
}

interface Whole extends NewText, Pick<Files, "files"> {
  readonly mail: Email;
  readonly isCut: boolean;
  readonly isAdmitted: boolean;
}

export async function partsOf(
  { mail, text, quoted, files, isCut, isAdmitted }: Whole,
  host: ChannelHost,
): Promise<readonly ContentPart[]> {
  const subject = mail.subject?.trim() ?? "";
  const words = text.trim();
  // Of an answer the conversation knows it; a command is one only at the beginning.
  const says = subject !== "" && mail.inReplyTo === undefined && !words.startsWith("/");
  const lines = [...(says ? [`Subject: ${subject}`, ""] : []), words];
  const parts: ContentPart[] = [];
  const notes: string[] = [];
  if (
    mail.headers.some(
      ({ key, value }) =>
        key === "content-type" && /^multipart\/encrypted|^application\/(?:x-)?pkcs7-mime/i.test(value),
    )
  )
    notes.push("[The mail is encrypted and could not be read.]");
  if (isCut) notes.push("[The mail is larger than 36 MB: what is behind that was not read.]");
  for (const file of mail.attachments) {
    const part = isAdmitted && !files.has(file.content) ? await kept(file, all(file), host) : files.get(file.content);
    if (part !== undefined) parts.push(part);
    else if (!isAdmitted) notes.push(`[The file ${nameOf(file)} was not kept: who sent it may not write here.]`);
    else notes.push(`[The file ${nameOf(file)} is larger than files may be here, and was not kept.]`);
  }
  // What was quoted of somebody else is theirs, and no word of the sender.
  if (quoted !== undefined && isAdmitted && !quotesUs(mail))
    parts.push(await host.media.save(Buffer.from(quoted), { name: "earlier.txt", mediaType: "text/plain" }));
  return [{ type: "text", text: [...lines, ...notes].join("\n").trim() }, ...parts];
}

/** Of what the channel reads itself: it is there. */
async function* all({ content }: Attachment): AsyncGenerator<Uint8Array> {
  yield typeof content === "string" ? Buffer.from(content) : new Uint8Array(content);
}

/** The conversation has it already. */
function quotesUs({ inReplyTo }: Email): boolean {
  return messageIds(inReplyTo).some((messageId) => isOurs(messageId));
}
