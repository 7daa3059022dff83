// Some lines of a file, read in pieces: memory stays flat whatever the file's size.
import { cutAt } from "../../lib/text.ts";
import type { OpenFile } from "../../machine/files/open-file.ts";
import { MAX_FILE_BYTES } from "../../machine/files/refusal.ts";
import { decodeWhole, type Encoding } from "./text-encoding.ts";

export interface Window {
  readonly text: string;
  /** First and last line of the text, from 1. `to` is below `from` when there is none. */
  readonly from: number;
  readonly to: number;
  readonly lines: number;
  /** The line at `from` alone was longer than the bound. */
  readonly cutLine: boolean;
  readonly latin1: boolean;
}

const CHUNK_BYTES = 256 * 1024;
/** More than a file should have: it may have grown, or say nothing of its size. */
export const LITTLE_BYTES = 1024;

export interface Range {
  readonly offset: number;
  readonly limit: number;
  /** Bound of a text that reaches the end of the file. */
  readonly maxChars: number;
  /** Bound of any other, which needs notes behind it. Cut at a line end unless one line is longer. */
  readonly cutChars: number;
}

export async function readWindow(file: OpenFile, encoding: Encoding, range: Range): Promise<Window> {
  const scan = await scanLines(file, encoding, range);
  const shown = scan.latin1 ? "latin1" : encoding;
  const text = decodeWhole(scan.bytes, shown) ?? scan.bytes.toString("utf8");
  const known = { from: range.offset, lines: scan.lines, latin1: scan.latin1 };
  const last = Math.min(scan.lines, range.offset + range.limit - 1);
  const bound = last === scan.lines && !scan.latin1 ? range.maxChars : range.cutChars;
  if (text.length <= bound && scan.complete) return { ...known, text, to: last, cutLine: false };
  const end = text.lastIndexOf("\n", range.cutChars - 1) + 1;
  if (end === 0) return { ...known, text: cutAt(text, range.cutChars), to: range.offset, cutLine: true };
  const kept = text.slice(0, end);
  return { ...known, text: kept, to: range.offset + countLines(kept) - 1, cutLine: false };
}

interface Scan {
  readonly bytes: Buffer;
  /** All bytes of the wanted lines are there. */
  readonly complete: boolean;
  readonly lines: number;
  readonly latin1: boolean;
}

async function scanLines(file: OpenFile, encoding: Encoding, range: Range): Promise<Scan> {
  const findBreak = breakFinder(encoding);
  // A UTF-16 unit is two bytes and at most three in UTF-8; one more, so that a cut is noticed.
  const maxBytes = 3 * (range.maxChars + 2);
  const decoder = encoding === "utf-8" ? new TextDecoder("utf-8", { fatal: true }) : undefined;
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let complete = true;
  let line = 1;
  let open = false; // bytes after the last line break
  let latin1 = false;
  for await (const chunk of chunksOf(file)) {
    latin1 ||= decoder !== undefined && !isValid(decoder, chunk);
    for (let start = 0; start < chunk.length;) {
      const found = findBreak(chunk, start);
      const end = found === -1 ? chunk.length : found;
      if (line >= range.offset && line < range.offset + range.limit) {
        if (keptBytes < maxBytes)
          kept.push(Buffer.from(chunk.subarray(start, Math.min(end, start + maxBytes - keptBytes))));
        complete &&= keptBytes + (end - start) <= maxBytes;
        keptBytes += end - start;
      }
      open = found === -1;
      if (!open) line += 1;
      start = end;
    }
  }
  latin1 ||= decoder !== undefined && !isValid(decoder, undefined);
  return { bytes: Buffer.concat(kept), complete, lines: open ? line : line - 1, latin1 };
}

/** A chunk is valid until reading on proves otherwise: characters may lie across chunks. */
function isValid(decoder: Pick<InstanceType<typeof TextDecoder>, "decode">, chunk: Uint8Array | undefined): boolean {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
    return true;
  } catch {
    return false; // not UTF-8
  }
}

/** Each chunk is used before the next is read into the same memory. Even lengths, for UTF-16. */
async function* chunksOf(file: OpenFile): AsyncIterable<Buffer> {
  const expected = (Number(file.stats.size) + LITTLE_BYTES) & ~1;
  const memory = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, expected));
  for (let position = 0; position < MAX_FILE_BYTES; position += memory.length) {
    const filled = await file.read(memory, position);
    if (filled > 0) yield memory.subarray(0, filled);
    if (filled < memory.length) return;
  }
}

/** Index after the next line break, or -1. */
function breakFinder(encoding: Encoding): (chunk: Buffer, start: number) => number {
  if (encoding === "utf-8" || encoding === "latin1")
    return (chunk, start) => {
      const index = chunk.indexOf(0x0a, start);
      return index === -1 ? -1 : index + 1;
    };
  const low = encoding === "utf-16le" ? 0 : 1;
  return (chunk, start) => {
    for (let index = start; index + 1 < chunk.length; index += 2)
      if (chunk[index + low] === 0x0a && chunk[index + 1 - low] === 0) return index + 2;
    return -1;
  };
}

function countLines(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
