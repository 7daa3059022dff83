/** What is new in a mail, and what it drags along: quoted history and signatures (CH215). */
import { htmlToLines } from "./html-text.ts";
import { MARKS, withoutMarks } from "./marks.ts";
import { fieldOf, introduces, isCertain, isMobileSignature, isOlderLine, type Introduction } from "./quote-words.ts";

/** The two halves of a mail. Every word is in one of them. */
export interface NewText {
  readonly text: string;
  /** Absent when nothing was cut. */
  readonly quoted?: string;
}

/** Further down nobody looks for the beginning of a quote: a mail of a million lines must not stop the others. */
const MOST_LINES = 20_000;

/** Of a line: written now, quoted, the introduction of a quote, a signature, or nothing. */
type Kind = "new" | "quote" | "intro" | "signature" | "blank";

/**
 * @param mail Its plain text, else its HTML: a mail program writes both from the same.
 */
export function newText(mail: { readonly text?: string | undefined; readonly html?: string | undefined }): NewText {
  const lines =
    mail.text !== undefined && mail.text.trim() !== ""
      ? withoutMarks(mail.text, " ").split(/\r\n|\r|\n/)
      : htmlToLines(mail.html ?? "");
  const kinds = kindsOf(lines);
  if (answersInside(kinds)) return { text: join(lines) };
  const kept = lines.filter((_, at) => kinds[at] === "new" || kinds[at] === "blank");
  const cut = lines.filter((_, at) => kinds[at] !== "new" && kinds[at] !== "blank");
  const onlyQuotes = !kinds.includes("new") && !kinds.includes("intro") && kinds.includes("quote");
  // A mail that is a quotation and nothing else was typed as one.
  if (cut.length === 0 || onlyQuotes) return { text: join(lines) };
  return { text: join(kept), quoted: join(cut) };
}

function join(lines: readonly string[]): string {
  return withoutMarks(lines.map((line) => line.trimEnd()).join("\n"))
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^\n+|\n+$/g, "");
}

function kindsOf(lines: readonly string[]): readonly Kind[] {
  const kinds: Kind[] = lines.map((line) => (isBlank(line) ? "blank" : isQuoted(line) ? "quote" : "new"));
  markIntroductions(lines, kinds);
  markSignatures(lines, kinds);
  fillBlanks(kinds);
  return kinds;
}

function isBlank(line: string): boolean {
  return withoutMarks(line).trim() === "" && !line.includes(MARKS.older);
}

function isQuoted(line: string): boolean {
  return /^ {0,3}>/.test(withoutMarks(line));
}

/** Lines that introduce a quote, and all after one that has no `>` to show where it ends. */
function markIntroductions(lines: readonly string[], kinds: Kind[]): void {
  for (let at = 0; at < Math.min(lines.length, MOST_LINES); at += 1) {
    if (kinds[at] !== "new") continue;
    const end = introductionEnd(lines, kinds, at);
    if (end === undefined) continue;
    kinds.fill("intro", at, end.next);
    if (end.rest) {
      // Nothing shows where an old mail without `>` ends.
      kinds.fill("quote", end.next);
      return;
    }
    at = end.next - 1;
  }
}

function introductionEnd(
  lines: readonly string[],
  kinds: readonly Kind[],
  at: number,
): { readonly next: number; readonly rest: boolean } | undefined {
  const header = headerEnd(lines, ruled(lines, at) ? nextFilled(kinds, at + 1) : at);
  if (header !== undefined) return { next: header, rest: !quoteFollows(kinds, header) };
  if (isOlderLine(lines[at] ?? "")) {
    const next = headerEnd(lines, nextFilled(kinds, at + 1)) ?? at + 1;
    return { next, rest: !quoteFollows(kinds, next) };
  }
  // Mail programs break "On … wrote:" at 72 to 78 characters.
  for (let next = at + 1; next <= Math.min(at + 3, lines.length) && kinds[next - 1] === "new"; next += 1) {
    const joined = lines.slice(at, next).join(" ");
    const said = introduces(joined);
    // What stands before an introduction is no part of it.
    if (said !== undefined && startsLater(lines, at, next, said)) continue;
    const marked = lines[at]?.includes(MARKS.attribution) === true;
    if (quoteFollows(kinds, next)) {
      if (said !== undefined || (marked && next === at + 1)) return { next, rest: false };
    } else if (said !== undefined && said !== "maybe" && (marked || isCertain(joined))) return { next, rest: true };
  }
  return undefined;
}

function startsLater(lines: readonly string[], at: number, next: number, said: Introduction): boolean {
  for (let later = at + 1; later < next; later += 1) {
    const alone = introduces(lines.slice(later, next).join(" "));
    if (alone === "sentence" || (alone !== undefined && said !== "sentence")) return true;
  }
  return false;
}

/** A rule above a quoted header, as Outlook draws it. */
function ruled(lines: readonly string[], at: number): boolean {
  return /^[-_]{10,}$/.test(withoutMarks(lines[at] ?? "").trim());
}

/** After a block of "From: … Sent: … To: … Subject: …": at least three different fields, the sender's among them. */
function headerEnd(lines: readonly string[], at: number): number | undefined {
  if (fieldOf(lines[at] ?? "") === undefined) return undefined;
  const seen = new Set<string>();
  let end = at;
  for (let next = at; next < Math.min(at + 12, lines.length); next += 1) {
    const field = fieldOf(lines[next] ?? "");
    if (field !== undefined) {
      seen.add(field);
      end = next + 1;
    } else if (next - end > 1) break; // one folded or empty line in between
  }
  return seen.size >= 3 && seen.has("from") ? end : undefined;
}

function nextFilled(kinds: readonly Kind[], from: number): number {
  let at = from;
  while (kinds[at] === "blank") at += 1;
  return at;
}

function quoteFollows(kinds: readonly Kind[], next: number): boolean {
  return kinds[nextFilled(kinds, next)] === "quote";
}

/** From `-- ` to the next quote; what HTML says to be one; "Sent from my phone" at the end. */
function markSignatures(lines: readonly string[], kinds: Kind[]): void {
  let inside: "dashes" | "element" | undefined;
  lines.forEach((line, at) => {
    if (inside === undefined && line.includes(MARKS.signature)) inside = "element";
    const kind = kinds[at];
    if (kind === "quote" || kind === "intro") inside = inside === "dashes" ? undefined : inside;
    else if (kind === "new") {
      if (/^-- ?$/.test(withoutMarks(line)) && isSignatureStart(line, kinds, at)) inside ??= "dashes";
      if (inside !== undefined) kinds[at] = "signature";
    }
    if (inside === "element" && line.includes(MARKS.signatureEnd)) inside = undefined;
  });
  for (let at = kinds.length - 1; at >= 0; at -= 1) {
    if (kinds[at] !== "new") continue;
    if (!isMobileSignature(lines[at] ?? "")) break;
    kinds[at] = "signature";
  }
}

/** The blank after the dashes is lost on many ways: then only a short end is a signature. */
function isSignatureStart(line: string, kinds: readonly Kind[], at: number): boolean {
  if (withoutMarks(line) === "-- ") return true;
  let length = 0;
  for (let next = at + 1; length <= 10 && (kinds[next] === "new" || kinds[next] === "blank"); next += 1)
    length += kinds[next] === "new" ? 1 : 0;
  return length > 0 && length <= 10;
}

/** A blank line belongs to what it is inside of. */
function fillBlanks(kinds: Kind[]): void {
  for (let at = 1; at < kinds.length; at += 1) {
    const before = kinds[at - 1];
    if (kinds[at] !== "blank" || before === undefined) continue;
    const next = nextFilled(kinds, at);
    if (before !== "new" && before !== "blank" && next < kinds.length && kinds[next] !== "new")
      kinds.fill(before, at, next);
    at = next;
  }
}

/** Whether the writer answered line by line: then the quotes are part of what is said. */
function answersInside(kinds: readonly Kind[]): boolean {
  const filled = kinds.filter((kind) => kind !== "blank" && kind !== "signature");
  const runs = filled.filter((kind, at) => kind !== filled[at - 1]).filter((kind) => kind !== "intro");
  const first = runs.indexOf("quote");
  const last = runs.lastIndexOf("quote");
  if (first === -1) return false;
  const between = runs.slice(first, last).includes("new");
  // "Hello,  > can you?  Yes." without an introduction was quoted by hand.
  const byHand = !kinds.includes("intro") && runs[0] === "new" && runs.at(-1) === "new";
  return between || byHand;
}
