// What the log holds already: where its chain ends and which commits were written.
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Millis } from "../contract/base.ts";
import { readFrom } from "../machine/files/files.ts";
import { parseSealed, START, type Cryptography, type Head } from "./chain.ts";
import {
  CHECKPOINT_FILE,
  HEAD_FILE,
  logFiles,
  readSigned,
  readText,
  sizeOf,
  type Cursor,
  type SignedValue,
} from "./log-files.ts";

/**
 * By session. Commits arrive in order, so the last is enough; a session that was deleted begins anew under its old id,
 * and its commits are newer than all that is known.
 */
export type Cursors = Map<string, Cursor>;

export interface Progress {
  readonly head: Head;
  /** How many lines the anchored head vouches for. -1: it has to be written anew. */
  readonly anchored: number;
  /** Whether the anchored head says that there is a checkpoint. */
  readonly checkpoint: boolean;
  readonly cursors: Cursors;
  readonly newest: string | undefined;
  /** What does not fit: the anchored head knows of lines that are gone, or is itself damaged or gone. */
  readonly damage: string | undefined;
}

/** Reads from the checkpoint on; cuts a torn last line, which a crash in mid-append leaves and nobody acknowledged. */
export async function catchUp(directory: string, crypto: Cryptography): Promise<Progress> {
  const files = await logFiles(directory);
  const checkpoint = await usableCheckpoint(directory, files, crypto);
  const cursors: Cursors = new Map(checkpoint?.cursors);
  let head: Head = checkpoint === undefined ? START : { n: checkpoint.n, hash: checkpoint.hash };
  for (const file of files) {
    if (checkpoint?.file !== undefined && file < checkpoint.file) continue;
    const path = join(directory, file);
    const from = file === checkpoint?.file ? (checkpoint.size ?? 0) : 0;
    const text = (from > 0 ? readFrom(path, from)?.toString() : await readText(path)) ?? "";
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole.length < text.length && file === files.at(-1)) await truncate(path, from + Buffer.byteLength(whole));
    for (const line of whole.split("\n")) {
      const sealed = parseSealed(line);
      if (sealed === undefined) continue; // verify() names damaged lines
      head = { n: sealed.n, hash: sealed.hash };
      const { session, seq, at } = sealed;
      if (typeof session === "string" && typeof seq === "number" && typeof at === "number")
        advance(cursors, { session, seq, at });
    }
  }
  return { ...(await withAnchor(directory, head, crypto)), cursors, newest: files.at(-1) };
}

/** Counts one more record of a commit as written. */
export function advance(cursors: Cursors, { session, seq, at }: CommitPlace): void {
  const [last, records, newest] = cursors.get(session) ?? NOTHING;
  const more = seq === last && at <= newest;
  // The newest, not the last: the clock may have been set back meanwhile.
  cursors.set(session, [seq, more ? records + 1 : 1, Math.max(newest, at)]);
}

/** Whether the record number `index` (from 0) of a commit is in the log. */
export function isWritten(cursors: Cursors, { session, seq, at }: CommitPlace, index: number): boolean {
  const [last, records, newest] = cursors.get(session) ?? NOTHING;
  return at <= newest && (seq < last || (seq === last && index < records));
}

interface CommitPlace {
  readonly session: string;
  readonly seq: number;
  readonly at: Millis;
}
const NOTHING = [0, 0, Number.NEGATIVE_INFINITY] as const;

type Checkpoint = Omit<SignedValue, "cursors"> & {
  readonly cursors: readonly (readonly [session: string, cursor: Cursor])[];
};

async function usableCheckpoint(
  directory: string,
  files: readonly string[],
  crypto: Cryptography,
): Promise<Checkpoint | undefined> {
  const value = await readSigned(join(directory, CHECKPOINT_FILE), crypto);
  if (value === undefined || value === "broken" || value.file === undefined || !files.includes(value.file))
    return undefined;
  if (sizeOf(join(directory, value.file)) < (value.size ?? 0)) return undefined; // lines are gone: read what is left from the beginning
  const cursors: [string, Cursor][] = [];
  for (const [session, cursor] of Object.entries(value.cursors ?? {})) {
    if (cursor.length === 2) return undefined; // of a version that did not note the time: the lines have it
    cursors.push([session, cursor]);
  }
  return { ...value, cursors };
}

async function withAnchor(
  directory: string,
  head: Head,
  crypto: Cryptography,
): Promise<Pick<Progress, "head" | "anchored" | "checkpoint" | "damage">> {
  const anchor = await readSigned(join(directory, HEAD_FILE), crypto);
  // Nobody can tell how many lines there were: a number is left out, so that verify() finds the place for ever.
  const torn = { head: { n: head.n + 1, hash: head.hash }, anchored: -1, checkpoint: false };
  if (anchor === "broken") return { ...torn, damage: "the anchored head is damaged" };
  if (anchor === undefined) return { ...torn, damage: "the anchored head is gone" };
  if (anchor.n <= head.n) {
    const { n: anchored, checkpoint = false } = anchor;
    // The lines are whole. But what verify() has found stays found, also when this process writes a new one.
    if (checkpoint && (await readText(join(directory, CHECKPOINT_FILE))) === undefined)
      return { ...torn, damage: "the checkpoint is gone" };
    return { head, anchored, checkpoint, damage: undefined };
  }
  // Going on from the anchor's number leaves the gap visible to verify() for ever.
  return {
    head: { n: anchor.n, hash: head.hash },
    anchored: -1,
    checkpoint: false,
    damage: `lines ${head.n + 1} to ${anchor.n} are gone`,
  };
}
