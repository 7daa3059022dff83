/** What lies in a directory that the look at the workspace leaves out. */
import fs from "node:fs";
import { join } from "node:path";
import type { Slices } from "../undo/slices.ts";

/** More is not looked at: what is there may be anything. */
const MAX_LOOKED = 200_000;

/** Whether anything in a directory was made or changed since then. What cannot be looked at may have been. */
export async function isChangedSince(
  workspace: string,
  folder: string,
  since: bigint,
  slices: Slices,
): Promise<boolean> {
  const queue = [join(workspace, folder)];
  for (let looked = 0; looked < MAX_LOOKED; looked += 1) {
    const path = queue.pop();
    if (path === undefined) return false;
    const wait = slices.pause();
    if (wait !== undefined) await wait;
    try {
      const stats = fs.lstatSync(path, { bigint: true });
      if (stats.ctimeNs >= since) return true;
      if (stats.isDirectory()) for (const name of fs.readdirSync(path)) queue.push(join(path, name));
    } catch {
      return true;
    }
  }
  return true;
}

/** @returns paths relative to the workspace. */
export async function filesBelow(workspace: string, tree: string, slices: Slices): Promise<readonly string[]> {
  const found: string[] = [];
  const queue = [tree];
  for (let folder = queue.pop(); folder !== undefined && found.length < MAX_LOOKED; folder = queue.pop()) {
    const wait = slices.pause();
    if (wait !== undefined) await wait;
    try {
      for (const entry of fs.readdirSync(join(workspace, folder), { withFileTypes: true }))
        (entry.isDirectory() ? queue : found).push(`${folder}/${entry.name}`);
    } catch {
      // It went, or became something else: then its files are not there either.
    }
  }
  return found;
}
