/** Files of a message that still lie on its platform. Pure. */
import type { UserMessage } from "../../contract/message.ts";
import type { JournalRecord } from "../../contract/record.ts";

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
