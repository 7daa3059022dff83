// Parts of a message: their text and cutting it without splitting a character, and the voice notes among them; and which messages are lines of one.
import type { Millis } from "../contract/base.ts";
import type { ContentPart, MediaPart, UserMessage } from "../contract/message.ts";
import type { SessionState, Waiting } from "../contract/session.ts";

/** The texts among the parts. */
export function textOf(parts: readonly { readonly type: string; readonly text?: string }[], separator = "\n"): string {
  return parts.flatMap((part) => (part.type === "text" && part.text !== undefined ? [part.text] : [])).join(separator);
}

/** The same with the name of each attachment, a line each. */
export function shownText(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mediaType}]`)).join("\n");
}

/** The first `maxChars` UTF-16 units of `text`, one less when that would split a surrogate pair. */
export function cutAt(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}

/** At most `maxChars` characters of `text`; a cut text ends with `… [{n} characters in all]`. */
export function truncate(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${cutAt(text, maxChars)}… [${text.length} characters in all]`;
}

/** At most `maxChars` characters of `text`, the last of them `…` when it was cut. */
export function ellipsis(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${cutAt(text, maxChars - 1)}…`;
}

/** One, and nothing else. */
export function isEmoji(text: string): boolean {
  return /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}\ufe0f?)$/v.test(text);
}

/** In a code block of Markdown whose fence is longer than any in the text: the text cannot close it. */
export function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

/** Backticks in a row, where they are most. */
export function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/** What is older was written before a pause of ours. */
export const LATE_MS = 600_000;

/** Says when a message was written that waited on its platform; "" of what comes as it is written. */
export function writtenAt(sentAt: Millis | undefined, now: Millis): string {
  return sentAt === undefined || now - sentAt <= LATE_MS ? "" : `(written at ${new Date(sentAt).toISOString()})`;
}

/** The notes of a message. */
export function voiceNotes({ parts }: { readonly parts: readonly ContentPart[] }): readonly MediaPart[] {
  return parts.filter((part) => part.type === "media" && part.voice === true) as readonly MediaPart[];
}

/** The first note that nobody wrote down. */
export function unheardNote(message: Pick<UserMessage, "parts">): MediaPart | undefined {
  const heard = message.parts.filter((part) => part.type === "text" && part.transcript === true).length;
  return voiceNotes(message)[heard];
}

export function withTranscript<Of extends Pick<UserMessage, "parts">>(message: Of, text: string): Of {
  return { ...message, parts: [...message.parts, { type: "text", text, transcript: true }] };
}

/** Whether a file of it, or of what it answers, is on its way, or a name. */
export function isFetching({ message, heard }: Waiting): boolean {
  return message.files !== undefined || heard?.files !== undefined || message.unnamed !== undefined;
}

/** Whether anything of it is still at its platform. */
export function hasComing({ pending, heard = [] }: SessionState): boolean {
  return pending.some(isFetching) || heard.some(({ message }) => message.unnamed !== undefined);
}

/** Behind one whose files are on their way all wait. */
export function fetchedOf(pending: readonly Waiting[]): readonly Waiting[] {
  const end = pending.findIndex(isFetching);
  return end < 0 ? pending : pending.slice(0, end);
}

/** Whether what a person said last in the running turn was a voice note. */
export function cameByVoice({ messages, turn }: SessionState): boolean {
  const opening = messages.findLastIndex((row) => row.role === "user" && row.id === turn?.opening);
  if (opening < 0) return false;
  const said = messages.slice(opening).findLast((row) => row.role === "user" && row.from.kind === "person");
  return said?.role === "user" && voiceNotes(said).length > 0;
}

/** How many of what waits behind a message its sender added to it: the one that a line was added to may have been taken back. */
export function addedTo(first: Waiting, others: readonly Waiting[]): number {
  const end = others.findIndex(({ joins, message }) => joins !== true || message.from.id !== first.message.from.id);
  return end < 0 ? others.length : end;
}
