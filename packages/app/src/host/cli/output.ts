/** Where a command reads and writes. People's text goes to stdout, progress and questions to stderr. */
import { fstatSync } from "node:fs";
import type { Json } from "@margay/core";

export interface Terminal {
  readonly input: AsyncIterable<Uint8Array | string>;
  /** Stdin is a terminal: nobody pipes a message in. */
  readonly inputIsTerminal: boolean;
  /** Whether somebody wrote something into stdin: a pipe or a file did, a socket may be open and never used. */
  readonly piped: "yes" | "perhaps" | "no";
  /** Nothing more is read: an input that stays open no longer keeps the process. */
  leaveInput(): void;
  /** A person can be asked: stdin and stderr are terminals. */
  readonly interactive: boolean;
  readonly outputIsTerminal: boolean;
  readonly color: boolean;
  readonly columns: number;
  out(text: string): void;
  err(text: string): void;
  /** One line typed by a person, or undefined at the end of the input. @throws `signal.reason` when aborted. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

/** A stream is made when it is used: each costs a start a millisecond. */
export function processTerminal(env: Readonly<Record<string, string | undefined>>): Terminal {
  const guarded = new Set<NodeJS.WriteStream>();
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    if (!guarded.has(stream)) stream.on("error", onPipeError);
    guarded.add(stream);
    stream.write(text);
  };
  return {
    get input() {
      return process.stdin;
    },
    get inputIsTerminal() {
      return isTerminal(0);
    },
    get piped() {
      return pipedInto();
    },
    leaveInput: () => void process.stdin.destroy(),
    get interactive() {
      return isTerminal(2) && isTerminal(0);
    },
    get outputIsTerminal() {
      return isTerminal(1);
    },
    get color() {
      return isTerminal(1) && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
    },
    get columns() {
      return process.stdout.columns ?? 80;
    },
    out: (text) => write(process.stdout, text),
    err: (text) => write(process.stderr, text),
    ask: async (question, signal) => {
      const { createInterface } = await import("node:readline/promises");
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      // While a line is read, Ctrl+C is a key: without this it would only leave the question.
      lines.on("SIGINT", () => process.emit("SIGINT", "SIGINT"));
      try {
        return await lines.question(question, { signal });
      } catch {
        signal.throwIfAborted();
        return undefined; // Ctrl+D, or the terminal is gone
      } finally {
        lines.close();
      }
    },
  };
}

/** `margay … | head` closes the pipe early; that is not an error of ours. */
function onPipeError(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
}

function pipedInto(): Terminal["piped"] {
  try {
    const kind = fstatSync(0);
    if (kind.isFIFO() || kind.isFile()) return "yes";
    // What a program gives its children as stdin, and often never closes.
    return kind.isSocket() ? "perhaps" : "no";
  } catch {
    return "no"; // closed
  }
}

/** A pipe or a file is told from a terminal without making its stream. */
function isTerminal(descriptor: 0 | 1 | 2): boolean {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    return false; // closed
  }
  const stream = descriptor === 0 ? process.stdin : descriptor === 1 ? process.stdout : process.stderr;
  // Node says undefined, not false, for what is none; its types do not.
  return stream.isTTY === true;
}

/**
 * Text of a model, tool or stranger, safe to show in a terminal: escape sequences, other control characters and what cannot
 * be seen or reorders what is read are written out, as on an approval, so they can neither recolor, move nor fake anything.
 */
export function safeText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu, // as `visible` of the core
    (character, at: number, whole: string) =>
      isWritten(character, whole, at) ? character : (NAMES[character] ?? codeOf(character)),
  );
}

const NAMES: Readonly<Record<string, string>> = { "\u001b": "␛", "\u0000": "␀", "\u0007": "␇", "\u0008": "␈" };

/** Belongs to how words and emoji are written. Both ends of the text count as fitting: answers arrive in pieces. */
function isWritten(character: string, text: string, at: number): boolean {
  if (character === "\n" || character === "\t") return true;
  const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? "";
  const after = Array.from(text.slice(at + character.length, at + character.length + 2))[0] ?? "";
  if (/[\u200c\u200d]/.test(character) && holdsJoiners(before)) return /^$|\p{Alphabetic}/u.test(after);
  if (character === "\u200d")
    return (
      /^$|[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u.test(before) &&
      /^$|\p{Extended_Pictographic}/u.test(after)
    );
  if (/[\ufe0e\ufe0f]/.test(character)) return /^$|\p{Extended_Pictographic}/u.test(before) || after === "\u20e3";
  return /[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u.test(character) && /\p{Script=Han}/u.test(before);
}

/** Of a script whose words hold joiners. */
function holdsJoiners(letter: string): boolean {
  return /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]/u.test(
    letter,
  );
}

/** One JSON document on one line; control characters that JSON leaves alone are escaped too. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return `${text.replaceAll(/[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => `\\u${hex(character)}`)}\n`;
}

/** Columns aligned by display width; wide East Asian characters count two. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, widthOf(cell))));
  return rows
    .map(
      (row) =>
        `${row.map((cell, index) => pad(cell, index === row.length - 1 ? 0 : (widths[index] ?? 0))).join("  ")}\n`,
    )
    .join("");
}

/** A value as people read it. */
export function plain(value: Json | undefined): string {
  if (value === undefined) return "–";
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - widthOf(cell)));
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text)
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(
        character,
      )
        ? 2
        : 1;
  return width;
}

function codeOf(character: string): string {
  return `⟨U+${hex(character).toUpperCase()}⟩`;
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
}
