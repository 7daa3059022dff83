/** Which rows of a context a new epoch goes on with, and the form in which it replays them. Pure. */
import type { ContentPart, KeptRows, Message } from "../contract/message.ts";

/** What is made of more messages than these is made in a turn of the event loop of its own. */
export const LONG = 1000;

/** Named rows are those of the context that was; the others are written out. @returns the very list when all of it stays as it is. */
export function keptRows(before: readonly Message[], kept: readonly (Message | KeptRows)[]): readonly Message[] {
  const rows: Message[] = []; // a list of its own: the one of a replay grows in place
  let isAll = true;
  for (const one of kept) {
    if (!("places" in one)) {
      isAll = false;
      rows.push(one);
      continue;
    }
    const { places, chars } = one;
    const [from, to = before.length] = places;
    for (let at = from; at < Math.min(to, before.length); at++) {
      const row = chars === undefined ? before[at]! : formOf(before[at]!, chars);
      isAll &&= row === before[at] && at === rows.length;
      rows.push(row);
    }
  }
  return isAll && rows.length === before.length ? before : rows;
}

/**
 * Results longer than `toolResultChars` are cut and images are placeholders: the form of new epochs. Journals tell of it by that
 * number alone, so what this makes of a message is as much a format as a record is.
 * @returns the very message when nothing of it is cut, also when it was before: what is known of it stays known.
 */
export function formOf(message: Message, toolResultChars: number): Message {
  if (message.role !== "tool" && message.role !== "user") return message;
  const maxChars = message.role === "tool" ? toolResultChars : Number.POSITIVE_INFINITY;
  if (message.parts.every((part) => cutPart(part, maxChars) === part)) return message;
  return { ...message, parts: message.parts.map((part) => cutPart(part, maxChars)) };
}

/** `… [{n} characters in all]`. Never splits a surrogate pair. */
export function cutPart(part: ContentPart, maxChars: number): ContentPart {
  if (part.type === "media") return { type: "text", text: `[image: ${part.name ?? "image"}]` };
  if (part.text.length <= maxChars) return part;
  if (part.text.length <= maxChars + MOST_SAID && WAS_CUT.test(part.text.slice(maxChars - 1))) return part;
  const end = /[\uD800-\uDBFF]/.test(part.text.charAt(maxChars - 1)) ? maxChars - 1 : maxChars;
  return { type: "text", text: `${part.text.slice(0, end)}… [${part.text.length} characters in all]` };
}

/** The end of a part that was cut to this length in an earlier epoch. */
const WAS_CUT = /^.?… \[\d+ characters in all\]$/s;
const MOST_SAID = 40;
