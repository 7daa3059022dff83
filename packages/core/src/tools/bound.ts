// Results that are too long for the prompt: head, tail, and where the whole is. Decided once, before the first send.
import type { ContentPart } from "../contract/message.ts";
import { cutAt } from "../lib/text.ts";

/** What an empty result reads. */
export const NO_OUTPUT = "(no output)";

/** Room for the two lines that say what was left out. */
const NOTE_CHARS = 300;

/** The parts as they are when their text fits; else one text of at most `maxChars`, then the media. */
export async function bound(
  parts: readonly ContentPart[],
  maxChars: number,
  store: (text: string) => Promise<string | undefined>,
): Promise<readonly ContentPart[]> {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.reduce((sum, text) => sum + text.length, 0) <= maxChars) return parts;
  const whole = texts.join("\n");
  const room = Math.max(0, maxChars - NOTE_CHARS);
  const head = cutAt(whole, Math.ceil(room / 2));
  const tail = whole.slice(safeStart(whole, whole.length - Math.floor(room / 2)));
  const left = whole.length - head.length - tail.length;
  const path = await store(whole);
  const text = `${head}\n… ${left} characters left out …\n${tail}\n${note(whole.length, path, head)}`;
  return [{ type: "text", text }, ...parts.filter((part) => part.type !== "text")];
}

function note(total: number, path: string | undefined, head: string): string {
  if (path === undefined) return `[${total} characters in all; they could not be stored. Ask for less at a time.]`;
  const line = head.split("\n").length;
  return `[${total} characters in all. Continue with read_file(path="${path}", offset=${line}).]`;
}

/** The index, one more when it would start inside a surrogate pair. */
function safeStart(text: string, index: number): number {
  const first = text.charCodeAt(index);
  return first >= 0xdc00 && first <= 0xdfff ? index + 1 : index;
}
