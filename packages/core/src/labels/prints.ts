/**
 * Fingerprints of a text, by which a run of it is found again in another one: winnowed hashes of its letters and digits.
 * Any common run of `RUN + WINDOW - 1` letters and digits is found.
 * @see Schleimer, Wilkerson, Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003
 */

/** Letters and digits that one hash covers. */
const RUN = 32;
/** Of so many hashes in a row the least is kept. */
const WINDOW = 16;
/** So many make it likely that a text comes from the other: of 1,539 files 8 shared as many with 604 foreign licences. */
const ENOUGH = 4;
/** Longer texts are not printed. */
export const MAX_PRINTED_BYTES: number = 1024 * 1024;

const BASE = 0x01000193;
/** BASE to the power of RUN, modulo 2^32: what the oldest letter of a run weighs when the next one comes. */
const LEAVING = Array.from({ length: RUN }).reduce<number>((product) => Math.imul(product, BASE), 1);

export function printsOf(text: string): ReadonlySet<number> {
  const letters = lettersOf(text);
  const prints = new Set<number>();
  const hashes = new Int32Array(Math.max(0, letters.length - RUN + 1));
  let hash = 0;
  for (let at = 0; at < letters.length; at += 1) {
    hash = (Math.imul(hash, BASE) + (letters[at] ?? 0)) | 0;
    if (at >= RUN) hash = (hash - Math.imul(letters[at - RUN] ?? 0, LEAVING)) | 0;
    if (at >= RUN - 1) hashes[at - RUN + 1] = mixed(hash);
  }
  // The least of each window; of equal ones the last, so that neighbouring windows agree.
  const isLess = (one: number, other: number): boolean => (hashes[one] ?? 0) <= (hashes[other] ?? 0);
  let least = -1;
  for (let end = Math.min(WINDOW, hashes.length) - 1; end >= 0 && end < hashes.length; end += 1) {
    const start = Math.max(0, end - WINDOW + 1);
    if (least < start) {
      least = start;
      for (let at = start + 1; at <= end; at += 1) if (isLess(at, least)) least = at;
    } else if (isLess(end, least)) least = end;
    prints.add(hashes[least] ?? 0);
  }
  return prints;
}

/** Whether a text holds enough of another one: four of its prints, or all of one that has fewer. */
export function holds(text: ReadonlySet<number>, of: ReadonlySet<number>): boolean {
  const needed = Math.min(ENOUGH, of.size);
  if (needed === 0) return false;
  let shared = 0;
  const [smaller, larger] = text.size < of.size ? [text, of] : [of, text];
  for (const print of smaller) {
    if (larger.has(print)) shared += 1;
    if (shared >= needed) return true;
  }
  return false;
}

/** Code points of letters and digits, in lower case. */
function lettersOf(text: string): Uint32Array {
  const lower = text.toLowerCase();
  const letters = new Uint32Array(lower.length);
  const letter = /[\p{L}\p{N}]/u;
  let count = 0;
  for (let at = 0; at < lower.length; at += 1) {
    const code = lower.codePointAt(at) ?? 0;
    if (code > 0xffff) at += 1;
    if (code < 128 ? isPlainLetter(code) : letter.test(String.fromCodePoint(code))) letters[count++] = code;
  }
  return letters.subarray(0, count);
}

function isPlainLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
}

/** A polynomial's low bits tell little of its first letters: all bits have a say in which hash is the least. */
function mixed(hash: number): number {
  let value = hash ^ (hash >>> 16);
  value = Math.imul(value, 0x7feb352d);
  value ^= value >>> 15;
  value = Math.imul(value, 0x846ca68b);
  return value ^ (value >>> 16);
}
