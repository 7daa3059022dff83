/** The workspace as it was when it was last looked at: lines that add up, so that a later look writes what changed only. */
import fs from "node:fs";
import { open, rename } from "node:fs/promises";
import { FILE_MODE } from "../machine/files/files.ts";
import { endsTorn } from "./manifest.ts";
import type { Index, Seen } from "./scan.ts";
import type { Slices } from "./slices.ts";

type Line = readonly [path: string, seen: Seen | null];

const LINES_A_WRITE = 200;

export interface IndexFile {
  readonly entries: Map<string, Seen>;
  /** Makes `next` the entries, on disk before it resolves. */
  replace(next: Index, slices: Slices): Promise<void>;
  /** We set a time of a file ourselves: it is still what it was. Not on disk: another process reads the file once more. */
  restamped(path: string, before: string, after: string): void;
}

export async function openIndexFile(file: string, slices: Slices): Promise<IndexFile> {
  const entries = new Map<string, Seen>();
  let lines = 0;
  if (fs.existsSync(file)) {
    if (endsTorn(file)) fs.appendFileSync(file, "\n");
    await using handle = await open(file, "r");
    for await (const text of handle.readLines()) {
      const line = parse(text);
      lines += 1;
      if (line?.[1] === null) entries.delete(line[0]);
      else if (line !== undefined) entries.set(line[0], line[1]);
      const wait = slices.pause();
      if (wait !== undefined) await wait;
    }
  }
  const write = async (to: string, flags: string, changes: Iterable<Line>): Promise<void> => {
    await using handle = await open(to, flags, FILE_MODE);
    let batch: string[] = [];
    for (const line of changes) {
      batch.push(`${JSON.stringify(line)}\n`);
      if (batch.length < LINES_A_WRITE) continue;
      await handle.appendFile(batch.join(""));
      batch = [];
    }
    await handle.appendFile(batch.join(""));
    await handle.sync();
  };
  return {
    entries,
    restamped: (path, before, after) => {
      const seen = entries.get(path);
      if (seen?.stamp !== before || seen.state.kind !== "file") return;
      entries.set(path, { ...seen, state: { ...seen.state, stamp: after }, stamp: after, racy: true });
    },
    replace: async (next, slices) => {
      const changes: Line[] = [];
      for (const [path, seen] of next) {
        if (!isEqual(entries.get(path), seen)) changes.push([path, seen]);
        const wait = slices.pause();
        if (wait !== undefined) await wait;
      }
      for (const path of entries.keys()) if (!next.has(path)) changes.push([path, null]);
      if (changes.length === 0) return;
      if (lines + changes.length > 2 * next.size + 1000) {
        fs.rmSync(`${file}.new`, { force: true });
        await write(`${file}.new`, "wx", next);
        await rename(`${file}.new`, file);
        lines = next.size;
      } else {
        await write(file, "a", changes);
        lines += changes.length;
      }
      for (const [path, seen] of changes)
        if (seen === null) entries.delete(path);
        else entries.set(path, seen);
    },
  };
}

function parse(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line; // written above
  } catch {
    return undefined; // torn by a crash: it says less than the disk does, and the next look finds that
  }
}

function isEqual(left: Seen | undefined, right: Seen): boolean {
  return left === right || (left?.stamp === right.stamp && left.kept === right.kept && left.racy === right.racy);
}
