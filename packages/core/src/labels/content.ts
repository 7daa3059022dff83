/** What lies at a path of the workspace, read so that nothing of it shows: for labels that follow contents. */
import fs, { type BigIntStats } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { openFile } from "../machine/files/open-file.ts";
import { withParent } from "../machine/files/with-parent.ts";
import { isContinued } from "../undo/file-state.ts";
import { MAX_COMPARED_BYTES } from "./file-labels.ts";
import type { FoundChange } from "./new-entries.ts";
import { MAX_PRINTED_BYTES } from "./prints.ts";

export interface Content {
  readonly stats: BigIntStats;
  /** Absent: larger than what is compared. */
  readonly data?: Buffer;
}

/** A file or link whose content is another one now; a change of its mode is none. */
export function isContent({ before, after }: FoundChange): boolean {
  return (after.kind === "file" || after.kind === "link") && !isContinued(before, after);
}

/** Of a directory: only by what it is known, nothing is opened. */
export function statsAt(workspace: string, path: string): BigIntStats | undefined {
  return fs.lstatSync(join(workspace, path), { bigint: true, throwIfNoEntry: false });
}

export async function contentAt(workspace: string, path: string): Promise<Content | undefined> {
  try {
    return await withParent(workspace, path, async ({ directory, name }) => {
      using file = openFile(directory.at(name));
      const { stats } = file;
      return stats.isFile() && stats.size <= BigInt(MAX_COMPARED_BYTES)
        ? { stats, data: await file.bytes() }
        : { stats };
    });
  } catch {
    return undefined; // it went, or it may not be read: its path is known all the same
  }
}

/** What git keeps under a name, without the line before it that says what it is. */
export function inflated(data: Buffer): Buffer | undefined {
  try {
    const object = inflateSync(data, { maxOutputLength: MAX_PRINTED_BYTES + 64 });
    return object.subarray(object.indexOf(0) + 1);
  } catch {
    return undefined; // no object of git, or a large one
  }
}
