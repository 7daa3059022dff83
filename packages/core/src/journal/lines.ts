/** A journal as its file holds it, read back: line by line, whole or from a place on. */
import { truncateSync, writeFileSync } from "node:fs";
import type { Seq } from "../contract/base.ts";
import type { JournalLine } from "../contract/services.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { FILE_MODE, readFrom } from "../machine/files/files.ts";
import { crcOf, sha256 } from "../machine/system/hash.ts";

/** Behind one of its commits. */
export interface Place {
  readonly seq: Seq;
  readonly bytes: number;
  /** Of what stands in front of it: a journal that was put back, cut or replaced is another there. */
  readonly hash: string;
}

export interface Loaded<Line extends JournalLine> {
  /** Those behind `after`; 0: all of them. */
  readonly lines: readonly Line[];
  readonly after: Seq;
  /** Of the whole file. */
  readonly bytes: number;
}

/** So much in front of a place is looked at: its last commits, with their times. */
const HASHED_BYTES = 65_536;

/** @returns undefined when the file does not reach that far. @throws the file system's error. */
export function placeIn(path: string, seq: Seq, bytes: number): Place | undefined {
  const from = Math.max(0, bytes - HASHED_BYTES);
  const before = readFrom(path, from, bytes - from);
  return before?.length === bytes - from ? { seq, bytes, hash: sha256(before) } : undefined;
}

/** @throws the file system's error. */
export function isIn(path: string, { seq, bytes, hash }: Place): boolean {
  return placeIn(path, seq, bytes)?.hash === hash;
}

/**
 * A torn last line is cut, and kept beside the file. @param known From where on, when it is a place of this file.
 * @throws RuntimeError `journal.damaged`; the file system's error.
 */
export function load<Line extends JournalLine>(path: string, known: Place | undefined): Loaded<Line> {
  const from = known !== undefined && isIn(path, known) ? known : { seq: 0 as Seq, bytes: 0 }; // before the first
  const bytes = readFrom(path, from.bytes);
  if (bytes === undefined) return { lines: [], after: 0 as Seq, bytes: 0 };
  const end = bytes.lastIndexOf(10) + 1;
  if (end < bytes.length) {
    refuseDamagedEnd(bytes, end, path, from.seq);
    writeFileSync(`${path}.torn-${from.bytes + end}`, bytes.subarray(end), { mode: FILE_MODE });
    truncateSync(path, from.bytes + end);
  }
  return { lines: [...parse<Line>(bytes, end, path, from.seq)], after: from.seq, bytes: from.bytes + end };
}

/** A write that was cut off is the beginning of a line: a whole commit and something else after it is damage. */
function refuseDamagedEnd(bytes: Buffer, end: number, path: string, before: Seq): void {
  const number = before + [...parse(bytes, end, path, before)].length + 1;
  const body = bytes.toString("utf8", end, bytes.length - 1);
  if (readable(body) !== undefined) throw damaged(path, number, "has no end");
}

function* parse<Line extends JournalLine>(bytes: Buffer, end: number, path: string, before: Seq): Generator<Line> {
  let number: number = before;
  for (const [from, to] of lines(bytes, end)) yield decode<Line>(bytes.toString("utf8", from, to), path, (number += 1));
}

/** Where each line begins, and where its newline is. */
export function* lines(bytes: Buffer, end: number): Generator<readonly [number, number]> {
  for (let from = 0; from < end;) {
    const to = bytes.indexOf(10, from);
    yield [from, to];
    from = to + 1;
  }
}

/** @param number Of the line, from 1. @throws RuntimeError `journal.damaged`. */
export function decode<Line extends JournalLine>(line: string, path: string, number: number): Line {
  const commit = readable(line);
  if (commit === undefined) throw damaged(path, number, "cannot be read");
  if (commit.seq !== number) throw damaged(path, number, `holds commit ${String(commit.seq)}`);
  return commit as Line; // a journal holds one kind of line, and its opener says which
}

const CRC = /^\{"crc":"([0-9a-f]{8})",/;

/** A line without its newline; undefined when it is not what we wrote. */
function readable(line: string): JournalLine | undefined {
  const [head = "", crc] = CRC.exec(line) ?? [];
  const body = line.slice(head.length);
  if (crc !== crcOf(body)) return undefined;
  try {
    return JSON.parse(`{${body}`) as JournalLine; // the checksum proves that we wrote it
  } catch {
    return undefined; // a checksum over something else
  }
}

function damaged(path: string, line: number, what: string): RuntimeError {
  return new RuntimeError(
    "journal.damaged",
    `${path}, line ${line} ${what}. Restore the file from a backup, or move it away to start anew without it.`,
    { details: { line } },
  );
}
