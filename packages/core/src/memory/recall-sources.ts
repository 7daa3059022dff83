/**
 * Brings one source of the search up to date: what was added to it is added, in pieces between which the event loop turns.
 * That it begins as it did is known by a hash; if it does not, all of it is compared and what differs is written.
 */
import { createHash, type Hash } from "node:crypto";
import { constants, lstatSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { endOfTick, isMissing } from "../machine/files/files.ts";
import { type Index, NOTHING, PIECE_ROWS, type Progress, type Row } from "./recall-index.ts";

/** Text between two turns of the event loop: a few milliseconds of splitting into words. */
const PIECE_BYTES = 8192;
/** Hashing is a hundred times faster. */
const HASHED_BYTES = 524_288;

type Head = Pick<Progress, "size" | "lines" | "hash">;

interface Piece {
  readonly rows: readonly Row[];
  /** Where the source is known up to after these rows. */
  readonly head: Head;
  readonly isLast: boolean;
}

interface Source {
  readonly name: string;
  readonly mark: string;
  readonly age: number;
}

/** @param path of a file whose lines are the rows. Undefined: there is none. */
export async function indexFile(
  index: Index,
  name: string,
  path: string | undefined,
  rowOf: (line: string, number: number) => Row,
): Promise<void> {
  for (;;) {
    const known = index.sources().get(name);
    const stat = path === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false }); // a link is not followed: see memory.ts
    const isFile = path !== undefined && stat?.isFile() === true;
    if (known?.mark === (isFile ? `${stat.mtimeMs}:${stat.size}` : "none")) return;
    await using file = isFile ? await openFile(path) : undefined;
    const { mtimeMs = 0, size = 0 } = (await file?.stat()) ?? {};
    const source = { name, mark: file === undefined ? "none" : `${mtimeMs}:${size}`, age: mtimeMs };
    const head = file === undefined ? undefined : await headOf(file, known, size);
    const pieces = file === undefined ? [NONE] : piecesOf(file, size, rowOf, head ?? BEGIN());
    if (await fill(index, source, known, head?.at ?? NOTHING, pieces)) return;
  }
}

/** @param rows in the order of their lines. */
export async function indexRows(index: Index, source: Source, rows: readonly Row[]): Promise<void> {
  for (;;) {
    const known = index.sources().get(source.name);
    const hash = createHash("sha256");
    let at: Head = NOTHING;
    if (known !== undefined && known.size > 0 && known.size <= rows.length) {
      let bytes = 0;
      for (const row of rows.slice(0, known.size)) {
        const text = hashed(row);
        hash.update(text);
        if ((bytes += text.length) < HASHED_BYTES) continue;
        bytes = 0;
        await endOfTick();
      }
      if (hash.copy().digest("hex") === known.hash) at = known;
    }
    const pieces = pickedFrom(rows, at === NOTHING ? createHash("sha256") : hash, at);
    if (await fill(index, source, known, at, pieces)) return;
  }
}

/** What is no source any more. */
export async function removeSource(index: Index, name: string): Promise<void> {
  while (!(await fill(index, { name, mark: "none", age: 0 }, index.sources().get(name), NOTHING, [NONE])));
  index.remove(name);
}

const NONE: Piece = { rows: [], head: NOTHING, isLast: true };

/** @returns false when another process has been at it: look again. */
async function fill(
  index: Index,
  { name, mark, age }: Source,
  known: Progress | undefined,
  from: Head,
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
): Promise<boolean> {
  let was = known;
  let { lines } = from;
  if (known !== undefined && known.size > from.size) {
    // What it says of the beginning is no longer so, whatever moment this ends at.
    if (!index.put(name, was, { after: 0, to: 0, rows: [] }, NOTHING)) return false;
    was = NOTHING;
  }
  for await (const { rows, head, isLast } of pieces) {
    const { size, hash } = head;
    const is = { mark: isLast ? mark : "", age, size, lines: head.lines, hash };
    if (isLast) while (!index.shorten(name, was, lines)) await endOfTick();
    if (!index.put(name, was, { after: lines, to: isLast ? Number.POSITIVE_INFINITY : head.lines, rows }, is))
      return false;
    was = is;
    ({ lines } = head);
    if (!isLast) await endOfTick();
  }
  return true;
}

interface Begun {
  readonly at: Head;
  readonly hash: Hash;
}

const BEGIN = (): Begun => ({ at: NOTHING, hash: createHash("sha256") });

/** @returns undefined when it was removed just now. */
async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** @returns undefined when the file does not begin with what was indexed. */
async function headOf(file: FileHandle, known: Progress | undefined, size: number): Promise<Begun | undefined> {
  if (known === undefined || known.size === 0 || known.size > size) return undefined;
  const hash = createHash("sha256");
  for (let at = 0; at < known.size;) {
    const bytes = await readAt(file, at, Math.min(HASHED_BYTES, known.size - at));
    if (bytes.length === 0) return undefined;
    hash.update(bytes);
    at += bytes.length;
  }
  return hash.copy().digest("hex") === known.hash ? { at: known, hash } : undefined;
}

async function* piecesOf(
  file: FileHandle,
  size: number,
  rowOf: (line: string, number: number) => Row,
  { at, hash }: Begun,
): AsyncGenerator<Piece> {
  let head = at;
  let rest: Buffer = Buffer.alloc(0);
  for (let read = head.size; read < size;) {
    // One endless line is read in ever longer pieces, so that it is not copied for each of them.
    const bytes = await readAt(file, read, Math.min(Math.max(PIECE_BYTES, rest.length), size - read));
    if (bytes.length === 0) break; // it was made shorter meanwhile: the next search looks again
    read += bytes.length;
    rest = Buffer.concat([rest, bytes]);
    for (let end = endOfPiece(rest); end > 0; end = endOfPiece(rest)) {
      const lines = rest.toString("utf8", 0, end - 1).split("\n");
      const rows = rowsIn(lines, head.lines, rowOf);
      hash.update(rest.subarray(0, end));
      rest = rest.subarray(end);
      head = { size: head.size + end, lines: head.lines + lines.length, hash: hash.copy().digest("hex") };
      if (head.size === size) return yield { rows, head, isLast: true };
      yield { rows, head, isLast: false };
    }
  }
  // A last line without an end may still grow.
  yield { rows: rowsIn([rest.toString("utf8")], head.lines, rowOf), head, isLast: true };
}

/** After its last line, or that many lines; 0 when none has ended. */
function endOfPiece(bytes: Buffer): number {
  let end = 0;
  for (let lines = 0; lines < PIECE_ROWS; lines++) {
    const next = bytes.indexOf(10, end) + 1;
    if (next === 0) break;
    end = next;
  }
  return end;
}

function rowsIn(
  lines: readonly string[],
  before: number,
  rowOf: (line: string, number: number) => Row,
): readonly Row[] {
  return lines.flatMap((line, index) => (line.trim() === "" ? [] : [rowOf(line, before + index + 1)]));
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function* pickedFrom(rows: readonly Row[], hash: Hash, { size }: Head): Generator<Piece> {
  let from = size;
  do {
    let to = from;
    for (let chars = 0; to < rows.length && to - from < PIECE_ROWS && chars < PIECE_BYTES; to++) {
      const row = rows[to]!;
      hash.update(hashed(row));
      chars += row.text.length;
    }
    const head = { size: to, lines: rows[to - 1]?.line ?? 0, hash: to === 0 ? "" : hash.copy().digest("hex") };
    yield { rows: rows.slice(from, to), head, isLast: to === rows.length };
    from = to;
  } while (from < rows.length);
}

function hashed({ line, text, untrusted, readers }: Row): string {
  return `${JSON.stringify([line, text, untrusted, readers ?? null])}\n`;
}
