// What the log holds already: where its chain ends and which commits were written.
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { parseSealed, START, type Cryptography, type Head } from "./chain.ts";
import { HEAD_FILE, logFiles, readSigned, readText, type SignedValue } from "./log-files.ts";

export const CHECKPOINT_FILE = "checkpoint.json";

/** Per session: the last commit written and how many records of it. Commits arrive in order, so this is enough. */
export type Cursors = Map<string, readonly [seq: number, records: number]>;

export interface Progress {
  readonly head: Head;
  readonly cursors: Cursors;
  readonly newest: string | undefined;
  /** What does not fit: the anchored head knows of lines that are gone, or is itself damaged or gone. */
  readonly damage: string | undefined;
}

/** Reads from the checkpoint on; cuts a torn last line, which a crash in mid-append leaves and nobody acknowledged. */
export async function catchUp(directory: string, crypto: Cryptography): Promise<Progress> {
  const files = await logFiles(directory);
  const checkpoint = await usableCheckpoint(directory, files, crypto);
  const cursors: Cursors = new Map(Object.entries(checkpoint?.cursors ?? {}));
  let head: Head = checkpoint === undefined ? START : { n: checkpoint.n, hash: checkpoint.hash };
  for (const file of files) {
    if (checkpoint?.file !== undefined && file < checkpoint.file) continue;
    const path = join(directory, file);
    const text = (await readText(path)) ?? "";
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole.length < text.length && file === files.at(-1)) await truncate(path, Buffer.byteLength(whole));
    const from =
      file === checkpoint?.file
        ? Buffer.from(whole)
            .subarray(checkpoint.size ?? 0)
            .toString()
        : whole;
    for (const line of from.split("\n")) {
      const sealed = parseSealed(line);
      if (sealed === undefined) continue; // verify() names damaged lines
      head = { n: sealed.n, hash: sealed.hash };
      const { session, seq } = sealed;
      if (typeof session === "string" && typeof seq === "number") advance(cursors, session, seq);
    }
  }
  return { ...(await withAnchor(directory, head, crypto)), cursors, newest: files.at(-1) };
}

/** Counts one more record of a commit as written. */
export function advance(cursors: Cursors, session: string, seq: number): void {
  const [last, records] = cursors.get(session) ?? [0, 0];
  cursors.set(session, seq === last ? [seq, records + 1] : [seq, 1]);
}

/** Whether the record number `index` (from 0) of a commit is in the log. */
export function isWritten(cursors: Cursors, session: string, seq: number, index: number): boolean {
  const [last, records] = cursors.get(session) ?? [0, 0];
  return seq < last || (seq === last && index < records);
}

async function usableCheckpoint(
  directory: string,
  files: readonly string[],
  crypto: Cryptography,
): Promise<SignedValue | undefined> {
  const value = await readSigned(join(directory, CHECKPOINT_FILE), crypto);
  if (value === undefined || value === "broken" || value.file === undefined || !files.includes(value.file))
    return undefined;
  const size = Buffer.byteLength((await readText(join(directory, value.file))) ?? "");
  return size >= (value.size ?? 0) ? value : undefined; // lines are gone: read what is left from the beginning
}

async function withAnchor(
  directory: string,
  head: Head,
  crypto: Cryptography,
): Promise<Pick<Progress, "head" | "damage">> {
  const anchor = await readSigned(join(directory, HEAD_FILE), crypto);
  if (anchor === "broken") return { head, damage: "the anchored head is damaged" };
  if (anchor === undefined) return { head, damage: head.n > 0 ? "the anchored head is gone" : undefined };
  if (anchor.n <= head.n) return { head, damage: undefined };
  // Going on from the anchor's number leaves the gap visible to verify() for ever.
  return { head: { n: anchor.n, hash: head.hash }, damage: `lines ${head.n + 1} to ${anchor.n} are gone` };
}
