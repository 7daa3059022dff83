/** A journal as its file holds it, read back: line by line, whole or from a place on. */
import { truncateSync, writeFileSync } from "node:fs";
import type { Seq } from "../contract/base.ts";
import type { JournalLine } from "../contract/services.ts";
import type { Place } from "../contract/store.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { FILE_MODE, linesIn, readFrom } from "../machine/files/files.ts";
import { hashBefore, readChecked } from "../machine/system/hash.ts";

/** The lines behind `after`, and how long the whole file is. */
interface Loaded<Line extends JournalLine> {
  readonly lines: readonly Line[];
  readonly after: Seq;
  readonly bytes: number;
}

/**
 * A torn last line is cut, and kept beside the file. @param known From where on, when it is a place of this file.
 * @throws RuntimeError `journal.damaged`; the file system's error.
 */
export function load<Line extends JournalLine>(path: string, known: Place | undefined): Loaded<Line> {
  const from =
    known !== undefined && hashBefore(path, known.bytes) === known.hash ? known : { seq: 0 as Seq, bytes: 0 }; // before the first
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
  if (readChecked(body) !== undefined) throw damaged(path, number, "has no end");
}

function* parse<Line extends JournalLine>(bytes: Buffer, end: number, path: string, before: Seq): Generator<Line> {
  let number: number = before;
  for (const [from, to] of linesIn(bytes, end))
    yield decode<Line>(bytes.toString("utf8", from, to), path, (number += 1));
}

/** @param number Of the line, from 1. @throws RuntimeError `journal.damaged`. */
export function decode<Line extends JournalLine>(line: string, path: string, number: number): Line {
  const commit = readChecked(line) as JournalLine | undefined; // checked
  if (commit === undefined) throw damaged(path, number, "cannot be read");
  if (commit.seq !== number) throw damaged(path, number, `holds commit ${String(commit.seq)}`);
  return commit as Line; // a journal holds one kind of line, and its opener says which
}

function damaged(path: string, line: number, what: string): RuntimeError {
  return new RuntimeError(
    "journal.damaged",
    `${path}, line ${line} ${what}. Restore the file from a backup, or move it away to start anew without it.`,
    { details: { line } },
  );
}
