/** What was found at a place of the workspace, which may go or change at any moment. */
import fs, { type Stats } from "node:fs";
import { relative } from "node:path";
import { listUnseen } from "../../files/access-time.ts";
import { openUnseen } from "../../files/open-file.ts";
import { READ_FLAGS } from "../../files/open-directory.ts";
import { openParent } from "../../files/with-parent.ts";

export interface LeftBehind {
  /** Absolute; its folders were real when it was found. */
  readonly path: string;
  /** What it is, for a person: a name, or the keys of a configuration. */
  readonly why: string;
  /** Stays in its place instead. */
  readonly rest?: string;
  /** The target of the link that was there. */
  readonly link?: string;
}

export function statsAt(path: string): Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a folder on the way is closed, or a file by now
  }
}

export function namesIn(folder: string): readonly string[] {
  try {
    return listUnseen(folder).entries.map(({ name }) => name);
  } catch {
    return []; // it went, or nobody may look into it
  }
}

export function linkAt(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined; // it is no link any more
  }
}

/**
 * A small regular file of the workspace, reached without following a link: what stands elsewhere is none of the program's.
 * @returns undefined for anything else.
 */
export function textAt(workspace: string, path: string, maxBytes: number): string | undefined {
  try {
    const { directory, name } = openParent(workspace, relative(workspace, path));
    try {
      const fd = openUnseen(directory.at(name), READ_FLAGS);
      try {
        const stats = fs.fstatSync(fd);
        return stats.isFile() && stats.size <= maxBytes ? fs.readFileSync(fd, "utf8") : undefined;
      } finally {
        fs.closeSync(fd);
      }
    } finally {
      directory.close();
    }
  } catch {
    return undefined; // it went, it is a link, or nobody may read it
  }
}

export function identityAt(path: string): string | undefined {
  const stats = statsAt(path);
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}
