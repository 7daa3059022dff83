/** How a line of memory says that it came from somebody who may not steer the agent. Pure. */
import { cutAt } from "./text.ts";

const SOURCED = /\(source: /i;
const MARK = "(source: untrusted content)";

export function isSourced(line: string): boolean {
  return SOURCED.test(line);
}

/** Each line that says something and is not among the known ones gets a mark, unless it has one. */
export function withSource(text: string, known = ""): string {
  const kept = new Set(known.split("\n"));
  return text
    .split("\n")
    .map((line) => (line.trim() === "" || kept.has(line) || isSourced(line) ? line : `${line} ${MARK}`))
    .join("\n");
}

/** The first `maxChars` of an entry; a last line that is cut keeps that it has a mark. */
export function cutEntry(text: string, maxChars: number): string {
  const cut = cutAt(text, maxChars);
  if (cut === text) return text;
  const start = cut.lastIndexOf("\n") + 1;
  const [whole = ""] = text.slice(start).split("\n", 1);
  if (!isSourced(whole) || isSourced(cut.slice(start))) return cut;
  const room = maxChars - MARK.length - 1;
  return room > start ? `${cutAt(text, room)} ${MARK}` : cut.slice(0, start).trimEnd();
}

/** The lines that people vouch for, and how many others there are. */
export function withoutSourced(text: string): { readonly text: string; readonly left: number } {
  const lines = text.split("\n");
  const kept = lines.filter((line) => !isSourced(line));
  return { text: kept.join("\n").trim(), left: lines.length - kept.length };
}
