// What confining programs leaves in a workspace, and who still needs it: removed with the last one.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import type { Json, JsonObject } from "../contract/base.ts";

/** A name as it must be when the program has ended. */
export interface Guarded {
  readonly path: string;
  /** The target of the link it is; absent: nothing is there. */
  readonly link?: string;
  /** What it is, as `dev:ino`: something else under its name does not stay; nothing may. */
  readonly identity?: string;
}

export interface Lease {
  readonly id: string;
  readonly workspace: string;
  /**
   * Missing names that a mount covers. Its mount point is an empty directory, which git does not see and which `rmdir` removes
   * only while it is empty, so that nothing of anybody's is ever lost.
   */
  readonly covers: readonly string[];
  /** Names no mount can cover. */
  readonly guarded: readonly Guarded[];
}

export interface Leases {
  claim(workspace: string, covers: readonly string[], guarded: readonly Guarded[]): Lease;
  /** Of a lease that an earlier process gave. Does nothing for one that is known. */
  adopt(lease: Lease): void;
  release(lease: Lease): void;
  /** Whether something that runs needs the mount point: unlinking it would uncover the name there. */
  isCovered(path: string): boolean;
}

export function createLeases(): Leases {
  const holders = new Map<string, Set<string>>();
  const adopt = ({ id, covers }: Lease): void => {
    for (const path of covers) {
      const ids = holders.get(path) ?? new Set();
      holders.set(path, ids.add(id));
    }
  };
  return {
    adopt,
    claim: (workspace, covers, guarded) => {
      const lease = { id: randomUUID(), workspace, covers, guarded };
      adopt(lease);
      return lease;
    },
    release: ({ id, covers, guarded }) => {
      for (const path of covers) {
        const ids = holders.get(path);
        if (ids?.delete(id) !== true || ids.size > 0) continue;
        holders.delete(path);
        quietly(() => fs.rmdirSync(path));
      }
      for (const one of guarded) quietly(() => restore(one));
    },
    isCovered: (path) => holders.has(path),
  };
}

/** Puts aside what a program left where it must not be, and puts back the link that was there. */
function restore({ path, link, identity }: Guarded): void {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (identity !== undefined && (stats === undefined || `${stats.dev}:${stats.ino}` === identity)) return;
  if (link !== undefined && stats?.isSymbolicLink() === true && fs.readlinkSync(path) === link) return;
  if (stats !== undefined) fs.renameSync(path, `${path}.refused-${randomUUID()}`);
  if (link !== undefined) fs.symlinkSync(link, path);
}

export function leaseToJson({ id, workspace, covers, guarded }: Lease): JsonObject {
  return { id, workspace, covers: [...covers], guarded: guarded.map((one) => ({ ...one })) };
}

/** @returns undefined for what is no lease: a command of a version without a sandbox. */
export function leaseFromJson(value: Json | undefined): Lease | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !("id" in value)) return undefined;
  return value as unknown as Lease; // written by leaseToJson, in a directory no tool can reach
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Not empty, or gone: it is somebody else's by now.
  }
}
