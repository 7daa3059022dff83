// What the model reads of a command's output: both streams, head and tail kept, memory bounded however long it is.
import { cutAt } from "../../lib/text.ts";

/** One stream of a running command. */
export interface Capture {
  /** Adds bytes in order. @returns their text; an unfinished character waits for its other bytes. */
  push(bytes: Uint8Array): string;
  /** So many bytes are not given to it: the next ones do not continue those before. */
  skip(bytes: number): void;
  /** The stream has ended: an unfinished character becomes U+FFFD. */
  end(): void;
  /** Characters of all that was pushed. */
  readonly total: number;
  /** Bytes that were not, and whose characters nobody counted. */
  readonly skipped: number;
  /** The first and the last `maxChars` characters. */
  readonly head: string;
  readonly tail: string;
}

/** Beyond what is shown: a secret at the cut is whole here, and is taken out before. */
const MARGIN_CHARS = 16_384;
/**
 * Never shown beside a cut of ours: half a secret there is not recognized. The rest of the margin is not enough where what is taken out
 * is so long that the text becomes shorter than what may be shown. A private key of 8,192 bits fits.
 */
const BORDER_CHARS = 8_192;

/** Decodes incrementally as UTF-8; invalid bytes become U+FFFD, NUL is a character like any other. */
export function createCapture(maxChars: number, redact: (text: string) => string = (text) => text): Capture {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const kept = maxChars + MARGIN_CHARS;
  let total = 0;
  let skipped = 0;
  let isAfterSkip = false;
  let head = "";
  let tail = "";
  let clean: { readonly total: number; readonly head: string; readonly tail: string } | undefined;
  const add = (text: string): string => {
    clean = undefined;
    total += text.length;
    if (skipped === 0 && head.length < kept) head += text.slice(0, kept - head.length);
    tail = text.length >= kept ? text.slice(-kept) : tail + text;
    // Twice the size before it is cut: each character is copied once on average, not once a chunk.
    if (tail.length > 2 * kept) tail = tail.slice(-kept);
    return text;
  };
  const shown = (): NonNullable<typeof clean> => {
    if (clean !== undefined) return clean;
    const first = redact(head);
    if (skipped === 0 && total === head.length)
      clean = { total: first.length, head: first.slice(0, maxChars), tail: first.slice(-maxChars) };
    else {
      const last = redact(tail.slice(-kept)).slice(BORDER_CHARS);
      clean = {
        total,
        head: first.slice(0, Math.min(maxChars, Math.max(0, first.length - BORDER_CHARS))),
        tail: last.slice(-maxChars),
      };
    }
    return clean;
  };
  return {
    push: (bytes) => {
      const rest = isAfterSkip ? fromCharacter(bytes) : bytes;
      skipped += bytes.length - rest.length;
      isAfterSkip = false;
      return add(decoder.decode(rest, { stream: true }));
    },
    skip: (bytes) => {
      add(decoder.decode());
      skipped += bytes;
      isAfterSkip = true;
      tail = ""; // no text holds both sides: what they made together nobody wrote
    },
    end: () => void add(decoder.decode()),
    get total() {
      return shown().total;
    },
    get skipped() {
      return skipped;
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
 * stdout, then `STDERR:` and stderr when there is any. Longer than `maxChars`: both halves with a note between, which
 * counts in characters, and in bytes what was not read.
 * Ends with a newline unless empty.
 */
export function formatOutput(stdout: Capture, stderr: Capture, maxChars: number): string {
  const label = stderr.total === 0 ? "" : `${lineBreakAfter(stdout)}STDERR:\n`;
  const total = stdout.total + label.length + stderr.total;
  const skipped = stdout.skipped + stderr.skipped;
  if (skipped === 0 && total <= maxChars) return withLineBreak(stdout.head + label + stderr.head);
  const half = Math.floor(maxChars / 2);
  const whole = (capture: Capture): boolean => capture.skipped === 0 && capture.total === capture.head.length;
  const first = cutAt(whole(stdout) ? stdout.head + label + stderr.head : stdout.head, half);
  const last = lastChars(whole(stderr) ? stdout.tail + label + stderr.tail : stderr.tail, half);
  const left = total - first.length - last.length;
  const more = skipped === 0 ? "" : ` and ${skipped} more bytes`;
  return withLineBreak(`${withLineBreak(first)}… ${left} characters${more} left out …\n${last}`);
}

/** Without the rest of a character that began before. @see RFC 3629: at most three bytes continue one */
function fromCharacter(bytes: Uint8Array): Uint8Array {
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start === -1 ? bytes : bytes.subarray(start);
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
