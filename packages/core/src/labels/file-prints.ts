/** The fingerprints of strangers' texts, kept beside the labels: read only where a text has to be found again in another one. */
import fs from "node:fs";
import { join } from "node:path";
import { FILE_MODE, makeDirectory, readIfExists, replaceFile } from "../machine/files/files.ts";
import { sha256 } from "../machine/system/hash.ts";
import { holds, MAX_PRINTED_BYTES, printsOf } from "./prints.ts";

/** Of all texts together; the oldest go first. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

export interface FilePrints {
  /** A stranger's text. Binary data and what is longer than `MAX_PRINTED_BYTES` leaves none. */
  add(path: string, data: Uint8Array): void;
  /** The text is no stranger's any more. */
  forget(data: Uint8Array): void;
  /** @returns the path of a stranger's text that is in this one. */
  find(text: string): string | undefined;
}

interface Printed {
  readonly path: string;
  readonly bytes: number;
  readonly prints: ReadonlySet<number>;
}

/** @param directory of the state; the file is `file-prints.jsonl` in it. Read at the first question. */
export function openFilePrints(directory: string): FilePrints {
  const file = join(directory, "file-prints.jsonl");
  let loaded: Map<string, Printed> | undefined;
  const known = (): Map<string, Printed> => (loaded ??= load(file));
  return {
    add: (path, data) => {
      if (data.length > MAX_PRINTED_BYTES || data.includes(0)) return;
      const hash = sha256(data);
      if (known().has(hash)) return;
      const prints = printsOf(Buffer.from(data).toString("utf8"));
      if (prints.size === 0) return;
      const printed = { path, bytes: data.length, prints };
      known().set(hash, printed);
      makeDirectory(directory);
      try {
        fs.appendFileSync(file, lineOf(hash, printed), { mode: FILE_MODE });
        if (forgetOldest(known())) replaceFile(file, textOf(known()));
      } catch (error) {
        loaded = undefined; // a full disk may have cut the line: the file is read again
        throw error;
      }
    },
    forget: (data) => {
      if (known().delete(sha256(data))) replaceFile(file, textOf(known()));
    },
    find: (text) => {
      if (known().size === 0) return undefined;
      const prints = printsOf(text);
      for (const one of known().values()) if (holds(prints, one.prints)) return one.path;
      return undefined;
    },
  };
}

function textOf(known: ReadonlyMap<string, Printed>): string {
  return [...known].map(([hash, one]) => lineOf(hash, one)).join("");
}

function lineOf(hash: string, { path, bytes, prints }: Printed): string {
  const packed = Buffer.from(Int32Array.from(prints).buffer).toString("base64");
  return `${JSON.stringify({ hash, path, bytes, prints: packed })}\n`;
}

function load(file: string): Map<string, Printed> {
  const known = new Map<string, Printed>();
  const data = readIfExists(file) ?? Buffer.alloc(0);
  const end = data.lastIndexOf("\n") + 1;
  if (end < data.length) fs.truncateSync(file, end); // torn by a crash
  for (const line of data.subarray(0, end).toString("utf8").split("\n").slice(0, -1)) {
    const { hash, path, bytes, prints } = JSON.parse(line) as Line; // written by lineOf
    const packed = Buffer.from(prints, "base64");
    known.set(hash, {
      path,
      bytes,
      prints: new Set(Array.from({ length: packed.length / 4 }, (_, at) => packed.readInt32LE(4 * at))),
    });
  }
  return known;
}

interface Line {
  readonly hash: string;
  readonly path: string;
  readonly bytes: number;
  readonly prints: string;
}

/** A quarter at once, so that the file is not written anew for each text. @returns whether some were. */
function forgetOldest(known: Map<string, Printed>): boolean {
  let bytes = 0;
  for (const one of known.values()) bytes += one.bytes;
  if (bytes <= MAX_TEXT_BYTES) return false;
  for (const [hash, one] of known) {
    if (bytes <= MAX_TEXT_BYTES * 0.75) break;
    known.delete(hash);
    bytes -= one.bytes;
  }
  return true;
}
