// The files of the audit log: `{date}.jsonl`, the key, the anchored head and a checkpoint that makes opening fast.
import { createHmac, createSecretKey, hash, randomBytes } from "node:crypto";
import { readFileSync, statSync, truncateSync } from "node:fs";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Millis } from "../contract/base.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import {
  type AppendFile,
  FILE_MODE,
  isMissing,
  makeDirectory,
  openAppend,
  syncDirectory,
  readFrom,
} from "../machine/files/files.ts";
import { parseSealed, START, type Cryptography, type Head } from "./chain.ts";

export const HEAD_FILE = "head.json";
export const CHECKPOINT_FILE = "checkpoint.json";
export const KEY_FILE = "key";
const LOG_NAME = /^\d{4}-\d\d-\d\d\.jsonl$/;

/** Names of the log files, oldest first. */
export async function logFiles(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).filter((name) => LOG_NAME.test(name)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export function logName(at: Millis): string {
  return `${new Date(at).toISOString().slice(0, 10)}.jsonl`;
}

/** The text of a file, undefined when there is none. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const TAIL_BYTES = 262_144;

/** When the last line was written; undefined when there is none. Looks at the ends of the files only. */
export async function newestTime(directory: string): Promise<Millis | undefined> {
  for (const name of (await logFiles(directory)).toReversed()) {
    const path = join(directory, name);
    const { size } = await stat(path);
    const tail = readFrom(path, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
    for (const line of (tail ?? Buffer.alloc(0)).toString("utf8").split("\n").toReversed()) {
      const at = parseSealed(line)?.["at"];
      if (typeof at === "number") return at;
    }
  }
  return undefined;
}

/** How many lines the anchored head vouches for, as it says; 0 without a readable one. */
export function anchoredIn(directory: string): number {
  try {
    return Number(/"n":(\d+)/.exec(readFileSync(join(directory, HEAD_FILE), "utf8"))?.[1] ?? 0);
  } catch {
    return 0; // whoever writes to it says what is wrong with it
  }
}

export async function readKey(directory: string): Promise<Uint8Array | undefined> {
  const text = (await readText(join(directory, KEY_FILE)))?.trim() ?? "";
  return text === "" ? undefined : Buffer.from(text, "hex");
}

/** Whether there is nothing of a log: neither lines nor anything that vouches for some. */
export async function isEmptyLog(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length === 0;
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}

/**
 * A new key, readable by its owner only. Where nothing is yet, the head comes with it and both at once: whatever moment a
 * process dies at, a log without one of them is one it was taken from.
 */
export async function createKey(directory: string): Promise<Uint8Array> {
  const key = randomBytes(32);
  const write = (folder: string): Promise<void> =>
    writeFile(join(folder, KEY_FILE), `${key.toString("hex")}\n`, { mode: FILE_MODE, flush: true });
  if (!(await isEmptyLog(directory))) {
    await write(directory);
    return key;
  }
  const made = `${directory}.new`;
  await rm(made, { recursive: true, force: true });
  makeDirectory(made);
  await write(made);
  await writeSigned(join(made, HEAD_FILE), START, cryptography(key));
  await rename(made, directory); // in place of an empty directory too
  syncDirectory(dirname(directory));
  return key;
}

export function cryptography(key: Uint8Array): Cryptography {
  const secret = createSecretKey(key); // once: it costs more than what is done with it
  return {
    hash: (text) => hash("sha256", text, "hex"),
    mac: (text) => createHmac("sha256", secret).update(text).digest("hex"),
  };
}

/** A small signed value beside the log. Replaced as a whole, so a reader sees the old or the new one. */
export async function writeSigned(path: string, value: SignedValue, { mac }: Cryptography): Promise<void> {
  const body = canonicalJson({ ...value });
  // Synced: an empty head after a power cut would look like tampering.
  await writeFile(`${path}.tmp`, `{"mac":"${mac(body)}","value":${body}}\n`, { mode: FILE_MODE, flush: true });
  await rename(`${path}.tmp`, path);
}

/** @returns undefined: no such file. `"broken"`: damaged or not signed with this key. */
export async function readSigned(path: string, { mac }: Cryptography): Promise<SignedValue | "broken" | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  const match = /^\{"mac":"([0-9a-f]{64})","value":(.*)\}\n$/.exec(text);
  if (match === null || mac(match[2] ?? "") !== match[1]) return "broken";
  return JSON.parse(match[2] ?? "") as SignedValue; // signed, so it is what writeSigned wrote
}
/** Of a session: the last commit written, how many records of it, and the newest time of any. */
export type Cursor = readonly [seq: number, records: number, newest: Millis];

/**
 * `cursors`: by session; old ones lack the time. `file` and `size`: what they cover. `checkpoint`, of a head: one was
 * written, so that one that is not there was taken away; heads of older versions do not say it.
 */
export interface SignedValue extends Head {
  readonly checkpoint?: true;
  readonly file?: string;
  readonly size?: number;
  readonly cursors?: { readonly [session: string]: Cursor | readonly [seq: number, records: number] };
}

/** Appends lines to the file of the day; a new day never precedes the newest file. */
export interface LogWriter {
  append(lines: readonly string[], at: Millis): Promise<{ readonly file: string; readonly size: number }>;
  /** Resolves when everything appended is on disk. Closes the file: between turns none is held open. */
  sync(): Promise<void>;
}

export function openLogWriter(directory: string, newest: string | undefined): LogWriter {
  let current: { readonly name: string; readonly content: AppendFile; size: number } | undefined;
  let floor = newest ?? "";
  /** Where our last line ends. */
  let known = { name: floor, size: newest === undefined ? 0 : sizeOf(join(directory, newest)) };
  const sync = async (): Promise<void> => {
    const file = current;
    current = undefined;
    try {
      await file?.content.sync();
    } finally {
      file?.content.release();
    }
  };
  const fileFor = async (at: Millis): Promise<NonNullable<typeof current>> => {
    const wanted = logName(at) > floor ? logName(at) : floor; // a clock set back must not put a line before its predecessor
    if (current?.name === wanted) return current;
    await sync();
    floor = wanted;
    const path = join(directory, wanted);
    current = { name: wanted, content: openAppend(path), size: sizeOf(path) };
    return current;
  };
  return {
    append: async (lines, at) => {
      const file = await fileFor(at);
      // Another process wrote here: a line that follows what we know would break the chain.
      if (sizeOf(join(directory, file.name)) !== (known.name === file.name ? known.size : 0)) {
        await sync();
        throw new RuntimeError("state.locked", "Another process wrote into this audit log.", { retryable: true });
      }
      const data = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      try {
        file.content.write(data);
      } catch (error) {
        // A part of it may be there; what was never acknowledged is cut, so that it can be written again.
        cut(join(directory, file.name), file.size);
        current = undefined;
        file.content.release();
        throw error;
      }
      file.size += data.length;
      known = { name: file.name, size: file.size };
      return { file: file.name, size: file.size };
    },
    sync,
  };
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function cut(path: string, size: number): void {
  try {
    truncateSync(path, size);
  } catch {
    // the disk is failing: the next start cuts it
  }
}
