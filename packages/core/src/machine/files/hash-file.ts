/** Texts that are known by their hash and a time, sorted in one file and looked up where they lie: nothing of it is read at a start. */
import fs from "node:fs";
import type { Millis } from "../../contract/base.ts";
import { sha256 } from "../system/hash.ts";
import { isMissing, readIfExists, replaceFile } from "./files.ts";

export interface Hashed {
  readonly text: string;
  readonly at: Millis;
}

/** At least `least` of them stay, and all that are not older than `before`. */
export interface HashBounds {
  readonly least: number;
  readonly before: Millis;
}

/** Two of a hundred million texts share one with a chance of one in 10^22. */
const HASH_BYTES = 16;
/** The time in seconds stands behind it. */
const ENTRY_BYTES = HASH_BYTES + 4;

function hashOf(text: string): Buffer {
  return Buffer.from(sha256(text).slice(0, 2 * HASH_BYTES), "hex");
}

/** Whether the file holds that text. */
export function hasHash(path: string, text: string): boolean {
  let fd: number;
  try {
    fd = fs.openSync(path, "r");
  } catch (error) {
    if (isMissing(error)) return false; // none was kept yet
    throw error;
  }
  try {
    const entry = Buffer.alloc(HASH_BYTES);
    const read = (place: number): Buffer => {
      fs.readSync(fd, entry, 0, HASH_BYTES, place * ENTRY_BYTES);
      return entry;
    };
    return search(Math.floor(fs.fstatSync(fd).size / ENTRY_BYTES), read, hashOf(text)).isThere;
  } finally {
    fs.closeSync(fd);
  }
}

/** They are in the file, or it is as it was. One that is there already is one. */
export function addHashes(path: string, added: readonly Hashed[], bounds: HashBounds): void {
  const known = readIfExists(path) ?? Buffer.alloc(0);
  const read = (place: number): Buffer => known.subarray(place * ENTRY_BYTES, place * ENTRY_BYTES + HASH_BYTES);
  const parts: Buffer[] = [];
  let copied = 0;
  for (const entry of added.map(entryOf).toSorted((one, other) => one.compare(other))) {
    const hash = entry.subarray(0, HASH_BYTES);
    const { place, isThere } = search(Math.floor(known.length / ENTRY_BYTES), read, hash);
    if (isThere || parts.at(-1)?.subarray(0, HASH_BYTES).equals(hash) === true) continue;
    parts.push(known.subarray(copied, place * ENTRY_BYTES), entry);
    copied = place * ENTRY_BYTES;
  }
  replaceFile(path, withoutOld(Buffer.concat([...parts, known.subarray(copied)]), bounds));
}

function entryOf({ text, at }: Hashed): Buffer {
  const entry = Buffer.alloc(ENTRY_BYTES);
  hashOf(text).copy(entry);
  entry.writeUInt32BE(Math.floor(at / 1000), HASH_BYTES);
  return entry;
}

/** Where a hash is among sorted ones, or belongs. */
function search(
  count: number,
  read: (place: number) => Buffer,
  wanted: Buffer,
): { readonly place: number; readonly isThere: boolean } {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const order = read(middle).compare(wanted);
    if (order === 0) return { place: middle, isThere: true };
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return { place: from, isThere: false };
}

function withoutOld(all: Buffer, { least, before }: HashBounds): Buffer {
  const places = Array.from({ length: Math.floor(all.length / ENTRY_BYTES) }, (_, place) => place);
  const timeOf = (place: number): number => all.readUInt32BE(place * ENTRY_BYTES + HASH_BYTES);
  if (places.length <= least) return all;
  const old = places.filter((place) => timeOf(place) * 1000 < before).toSorted((a, b) => timeOf(a) - timeOf(b));
  const gone = new Set(old.slice(0, places.length - least));
  if (gone.size === 0) return all;
  const kept = places.filter((place) => !gone.has(place));
  return Buffer.concat(kept.map((place) => all.subarray(place * ENTRY_BYTES, (place + 1) * ENTRY_BYTES)));
}
