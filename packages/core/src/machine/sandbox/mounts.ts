// Places of the workspace that a confined program gets otherwise than they are.
import fs from "node:fs";
import { dirname } from "node:path";

/**
 * - `writable`: the directory over itself, so that it cannot be moved out of the way.
 * - `readonly`: the same, and nothing in it can be changed.
 * - `empty`: an empty directory instead of what is there.
 * - `nothing`: no file that could be opened, instead of what is there.
 */
export interface Mount {
  readonly kind: "writable" | "readonly" | "empty" | "nothing";
  readonly path: string;
}

/** Each mount costs time: past this many places, the folder of the workspace they lie in becomes read-only as a whole; empty, past so many sockets. */
export const MAX_PLACES: number = 200;

/** Parents first, and nothing within what is read-only or empty as a whole. */
export function inOrder(mounts: ReadonlyMap<string, Mount>): readonly Mount[] {
  const sorted = [...mounts.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  let closed: string | undefined;
  return sorted.filter(({ kind, path }) => {
    if (closed !== undefined && path.startsWith(`${closed}/`)) return false;
    if (kind === "readonly" || kind === "empty") closed = path;
    return true;
  });
}

/** Whether it is one of the paths, or lies in one. There may be many thousands of both. */
export function isBelow(path: string, paths: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (paths.has(at)) return true;
    if (dirname(at) === at) return false;
  }
}

/** @returns `dev:ino`; undefined: nothing is there. */
export function identityOf(path: string): string | undefined {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

export function kindOf(path: string): "link" | "other" | undefined {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isSymbolicLink() ? "link" : "other";
}
