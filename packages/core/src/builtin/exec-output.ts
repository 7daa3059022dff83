// What the model reads of a command's output: both streams, head and tail kept, memory bounded however long it is.
import { cutAt } from "../lib/truncate.ts";

/** One stream of a running command. */
export interface Capture {
  /** Adds bytes in order. @returns their text; an unfinished character waits for its other bytes. */
  push(bytes: Uint8Array): string;
  /** The stream has ended: an unfinished character becomes U+FFFD. */
  end(): void;
  readonly total: number;
  /** The first and the last `maxChars` characters. */
  readonly head: string;
  readonly tail: string;
}

/** Beyond what is shown: a secret at the cut is whole here, and is taken out before. */
const MARGIN_CHARS = 16_384;

/** Decodes incrementally as UTF-8; invalid bytes become U+FFFD, NUL is a character like any other (EX3, EX4). */
export function createCapture(maxChars: number, redact: (text: string) => string = (text) => text): Capture {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const kept = maxChars + MARGIN_CHARS;
  let total = 0;
  let head = "";
  let tail = "";
  let clean: { readonly total: number; readonly head: string; readonly tail: string } | undefined;
  const add = (text: string): string => {
    clean = undefined;
    total += text.length;
    if (head.length < kept) head += text.slice(0, kept - head.length);
    tail += text.length > kept ? text.slice(-kept) : text;
    // Twice the size before it is cut: each character is copied once on average, not once a chunk.
    if (tail.length > 2 * kept) tail = tail.slice(-kept);
    return text;
  };
  const shown = (): NonNullable<typeof clean> => {
    if (clean !== undefined) return clean;
    const whole = total === head.length;
    const first = redact(head);
    clean = {
      total: whole ? first.length : total,
      head: first.slice(0, maxChars),
      tail: (whole ? first : redact(tail.slice(-kept))).slice(-maxChars),
    };
    return clean;
  };
  return {
    push: (bytes) => add(decoder.decode(bytes, { stream: true })),
    end: () => void add(decoder.decode()),
    get total() {
      return shown().total;
    },
    get head() {
      return shown().head;
    },
    get tail() {
      return shown().tail;
    },
  };
}

/**
 * stdout, then `STDERR:` and stderr when there is any. Longer than `maxChars`: both halves with a note between (R105).
 * Ends with a newline unless empty.
 */
export function formatOutput(stdout: Capture, stderr: Capture, maxChars: number): string {
  const label = stderr.total === 0 ? "" : `${lineBreakAfter(stdout)}STDERR:\n`;
  const total = stdout.total + label.length + stderr.total;
  if (total <= maxChars) return withLineBreak(stdout.head + label + stderr.head);
  const half = Math.floor(maxChars / 2);
  const whole = (capture: Capture): boolean => capture.total === capture.head.length;
  const first = cutAt(whole(stdout) ? stdout.head + label + stderr.head : stdout.head, half);
  const last = lastChars(whole(stderr) ? stdout.tail + label + stderr.tail : stderr.tail, half);
  const left = total - first.length - last.length;
  return withLineBreak(`${withLineBreak(first)}… ${left} characters left out …\n${last}`);
}

function lineBreakAfter(capture: Capture): string {
  return capture.total === 0 || capture.tail.endsWith("\n") ? "" : "\n";
}

function withLineBreak(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The last `maxChars` UTF-16 units, one less when that would split a surrogate pair. */
function lastChars(text: string, maxChars: number): string {
  const last = text.slice(-maxChars);
  const first = last.charCodeAt(0);
  return first >= 0xdc00 && first <= 0xdfff ? last.slice(1) : last;
}
