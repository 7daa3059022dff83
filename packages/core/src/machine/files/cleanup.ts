/** What a killed process left of unfinished writes goes before the first message. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../contract/base.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import { isMissing, ownerOfTemporary } from "./files.ts";
import { isAlive } from "../process/process-tag.ts";
import { safeFiles } from "./safe-files.ts";

export interface CleanupOptions {
  /** Only our own places in it are looked through: the rest is somebody's work. */
  readonly workspace: string;
  /** The state directory, whose lock this process holds. */
  readonly directory: string;
  readonly log: Logger;
}

/** Folders below the state directory that are looked through. What lies deeper is not replaced. */
const DEPTH = 3;
/** What others have written, or commands. */
const NOT_OURS: readonly string[] = ["node_modules", "exec"];
/** Of a lock that was being taken. */
const LOCK = /^lock(?:\.[0-9a-f]{12})+(?:\.tmp)?$/;
/** A file is replaced in one go, and a lock is taken so: no process that lives takes so long. */
const STALE_MS = 86_400_000;

/**
 * Cleans up at the first call only: later there are unfinished writes of our own. Never rejects, since an agent that
 * cannot clean up can still work.
 */
export function createCleanup({ workspace, directory, log }: CleanupOptions): () => Promise<void> {
  let cleaned: Promise<void> | undefined;
  const attempt = async (part: () => Promise<void>): Promise<void> => {
    try {
      await part();
    } catch (error) {
      if (!isMissing(error)) log.warn("leftovers.kept", { message: messageOf(error) }); // there may be no workspace yet
    }
  };
  const cleanUp = async (): Promise<void> => {
    await attempt(async () => {
      await safeFiles({ root: workspace, restrict: true }).cleanUp();
      await cleanBelow(join(workspace, "memory"), 0, workspace);
    });
    await attempt(() => cleanBelow(directory, DEPTH, workspace));
  };
  return () => (cleaned ??= cleanUp());
}

async function cleanBelow(directory: string, depth: number, workspace: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const { name } = entry;
    // Of thousands of journals nothing is waited for.
    if (!entry.isDirectory() && ownerOfTemporary(name) === undefined && !LOCK.test(name)) continue;
    const path = join(directory, name);
    if (entry.isDirectory()) {
      if (depth > 0 && path !== workspace && !NOT_OURS.includes(name)) await cleanBelow(path, depth - 1, workspace);
    } else if (entry.isFile() && (await isLeftOver(path, name))) await rm(path, { force: true });
  }
}

async function isLeftOver(path: string, name: string): Promise<boolean> {
  const owner = ownerOfTemporary(name);
  if (owner !== undefined && !isAlive(owner)) return true;
  const writtenAt = await changedAt(path);
  if (writtenAt === undefined) return false;
  // An earlier process can have had our number, in a container it always has.
  const before = owner === process.pid ? process.uptime() * 1000 : STALE_MS;
  return writtenAt < Date.now() - before;
}

async function changedAt(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return undefined; // it has its name by now
    throw error;
  }
}
