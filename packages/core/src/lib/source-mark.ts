/** How a line of memory says that it came from somebody who may not steer the agent, and who may read it. Pure. */
import type { Label } from "../contract/message.ts";
import type { Readers } from "../contract/people.ts";
import { isUntrusted } from "./labels.ts";
import { joinReaders, NOBODY, readersTo } from "./audience.ts";
import { cutAt } from "./text.ts";

const SOURCED = /\(source: /i;
const MARK = "(source: untrusted content)";
/** `(source: untrusted content; readers eva>bob+eva)`: of Eva, for her and Bob. */
const READERS = /\(source: untrusted content; readers ([^()]*)\)/;

export function isSourced(line: string): boolean {
  return SOURCED.test(line);
}

/** Each line that says something and is not among the known ones gets a mark when its label asks for one, unless it has it. */
export function withSource(text: string, label: Label, known = ""): string {
  const { readers } = label;
  if (!isUntrusted(label) && readers === undefined) return text;
  const mark = readers === undefined ? MARK : readersMark(readers);
  const kept = new Set(known.split("\n"));
  const isMarked = (line: string): boolean => (readers === undefined ? isSourced(line) : line.includes(mark));
  return text
    .split("\n")
    .map((line) => (line.trim() === "" || kept.has(line) || isMarked(line) ? line : `${line} ${mark}`))
    .join("\n");
}

/** Who may read a line, or several, by all marks in it. Undefined: none says so. */
export function readersInMark(line: string): readonly Readers[] | undefined {
  const sets = [...line.matchAll(new RegExp(READERS, "g"))].flatMap(([, text = ""]) => text.split(" ").map(readersAs));
  return sets.length === 0 ? undefined : joinReaders(undefined, sets);
}

function readersMark(readers: readonly Readers[]): string {
  const sets = readers.map(({ to, by }) => `${encoded(by)}>${to.map(encoded).join("+")}`);
  return `(source: untrusted content; readers ${sets.join(" ")})`;
}

function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll("(", "%28").replaceAll(")", "%29");
}

/** What a person changed, so that nobody can tell, is for nobody. */
function readersAs(set: string): Readers {
  try {
    const [by = "", to = ""] = set.split(">");
    return by === "" || to === "" ? NOBODY : readersTo(to.split("+").map(decodeURIComponent), decodeURIComponent(by));
  } catch {
    return NOBODY;
  }
}

/** The first `maxChars` of an entry; a last line that is cut keeps that it has a mark. */
export function cutEntry(text: string, maxChars: number): string {
  const cut = cutAt(text, maxChars);
  if (cut === text) return text;
  const start = cut.lastIndexOf("\n") + 1;
  const [whole = ""] = text.slice(start).split("\n", 1);
  const [mark = MARK] = READERS.exec(whole) ?? [];
  if (!isSourced(whole) || (mark === MARK ? isSourced(cut.slice(start)) : cut.slice(start).includes(mark))) return cut;
  const room = maxChars - mark.length - 1;
  return room > start ? `${cutAt(text, room)} ${mark}` : cut.slice(0, start).trimEnd();
}

/** The lines that people vouch for, and how many others there are. */
export function withoutSourced(text: string): { readonly text: string; readonly left: number } {
  const lines = text.split("\n");
  const kept = lines.filter((line) => !isSourced(line));
  return { text: kept.join("\n").trim(), left: lines.length - kept.length };
}
