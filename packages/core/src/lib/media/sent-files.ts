/** Files of a message that still lie on its platform. Pure. */
import type { UserMessage } from "../../contract/message.ts";
import type { JournalRecord } from "../../contract/record.ts";
import type { Waiting } from "../../contract/session.ts";

/** With one of its files, or with what is said in its place: in front of the first text, or behind all. */
export function withFile(
  { files = [], parts, ...message }: UserMessage,
  { file, part, first }: Extract<JournalRecord, { type: "media.fetched" }>,
): UserMessage {
  const at = files.findIndex((one) => one.file === file); // the same one may be in it twice
  const left = at < 0 ? files : files.toSpliced(at, 1);
  const text = parts.findIndex(({ type }) => type !== "media");
  const place = first === true && text >= 0 ? text : parts.length;
  return { ...message, parts: parts.toSpliced(place, 0, part), ...(left.length > 0 && { files: left }) };
}

/** Whether a file of it, or of what it answers, is on its way. */
export function isFetching({ message, heard }: Waiting): boolean {
  return message.files !== undefined || heard?.files !== undefined;
}

/** Behind one whose files are on their way all wait. */
export function fetchedOf(pending: readonly Waiting[]): readonly Waiting[] {
  const end = pending.findIndex(isFetching);
  return end < 0 ? pending : pending.slice(0, end);
}
