// Ends a program that fills the disk or the memory: limits hold for one process and one file, this for all of them.
import fs from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { listUnseen } from "../files/access-time.ts";
import { systemClock } from "../system/clock.ts";

export interface SpaceLimits {
  /** Bytes the workspace may grow while one command runs. */
  readonly diskBytes: number;
  /** Files, folders and links it may get meanwhile: they use up a file system that has bytes left. */
  readonly newFiles: number;
  /** Bytes of memory of all processes together. */
  readonly memoryBytes: number;
}

const INTERVAL_MS = 100;
/** A file system knows the time of the last tick of the kernel, 100 to 1,000 a second: what is new may look a little older. */
const TICK_MS = 10;
/** Memory costs a look at each process. */
const MEMORY_EVERY = 3;
const MAX_FILES = 100_000;
const MAX_PROCESSES = 1_000;

/**
 * Resolves with a sentence when too much was taken; until the signal says that nobody asks any more.
 * @param isOurs Whether a process belongs to the command.
 */
export async function watchSpace(
  workspace: string,
  limits: SpaceLimits,
  processes: () => readonly number[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const clock = systemClock();
  const startedAt = clock.now() - TICK_MS;
  let most = await freeOf(workspace);
  // Others write to the disk too: when so much is gone that the command may have taken it, only what it has taken counts.
  const allowed = { bytes: limits.diskBytes, files: limits.newFiles };
  for (let round = 1; ; round += 1) {
    await clock.sleep(INTERVAL_MS, signal).catch(() => undefined);
    if (signal.aborted) return undefined;
    const free = await freeOf(workspace);
    // What others remove meanwhile must not hide what the command takes.
    most = { bytes: Math.max(most.bytes, free.bytes), files: Math.max(most.files, free.files) };
    const gone = { bytes: most.bytes - free.bytes, files: most.files - free.files };
    if (gone.bytes > allowed.bytes) {
      const own = bytesSince(workspace, startedAt) + openFiles(processes()).bytes;
      if (own > limits.diskBytes) return `it wrote more than ${inMegabytes(limits.diskBytes)} MB`;
      allowed.bytes = gone.bytes - own + limits.diskBytes;
    }
    if (gone.files > allowed.files) {
      const own = filesSince(workspace, startedAt, limits.newFiles) + openFiles(processes()).count;
      if (own > limits.newFiles) return `it made more than ${limits.newFiles} new files`;
      allowed.files = gone.files - own + limits.newFiles;
    }
    if (round % MEMORY_EVERY === 0 && memoryOf(processes()) > limits.memoryBytes)
      return `it took more than ${inMegabytes(limits.memoryBytes)} MB of memory`;
  }
}

/** The process and all that descends from it. In a PID namespace nothing can leave that tree. */
export function processTree(root: number): readonly number[] {
  const found = [root];
  for (let index = 0; index < found.length && found.length < MAX_PROCESSES; index += 1)
    found.push(...childrenOf(found[index] ?? 0));
  return found;
}

function childrenOf(pid: number): readonly number[] {
  return listed(`/proc/${pid}/task`).flatMap((thread) =>
    text(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  );
}

interface Free {
  readonly bytes: number;
  /** Always 0 where the file system has no number of them (btrfs): there the bytes bound them. */
  readonly files: number;
}

async function freeOf(path: string): Promise<Free> {
  try {
    const { bfree, bsize, ffree } = await statfs(path);
    return { bytes: bfree * bsize, files: ffree };
  } catch {
    return { bytes: 0, files: 0 }; // the workspace is gone: nothing to measure
  }
}

/** Bytes of files that were changed since then, as the disk counts them. */
function bytesSince(directory: string, since: number): number {
  let bytes = 0;
  let files = 0;
  const queue = [directory];
  for (let path = queue.pop(); path !== undefined && files < MAX_FILES; path = queue.pop())
    for (const entry of entriesOf(path)) {
      const full = join(path, entry.name);
      if (entry.isDirectory()) queue.push(full);
      else if (entry.isFile()) {
        files += 1;
        const stats = fs.lstatSync(full, { throwIfNoEntry: false });
        if (stats !== undefined && stats.ctimeMs >= since) bytes += stats.blocks * 512;
      }
    }
  return bytes;
}

/**
 * How much was made since then, of each kind: a folder takes as much as a file. Counts to one more than `limit`. Looks only at
 * what lies in folders that changed, which the making of a name changes however its own times are set afterwards: in a large
 * workspace most have not.
 */
function filesSince(directory: string, since: number, limit: number): number {
  let files = 0;
  let folders = 0;
  const queue = [directory];
  for (let path = queue.pop(); path !== undefined && folders < MAX_FILES && files <= limit; path = queue.pop()) {
    folders += 1;
    const hasChanged = (statOf(path)?.ctimeMs ?? 0) >= since;
    for (const entry of entriesOf(path)) {
      const full = join(path, entry.name);
      if (entry.isDirectory()) queue.push(full);
      if (hasChanged && isSince(full, since)) files += 1;
    }
  }
  return files;
}

/** Not only changed: another name or other rights make no new file. Where no birth is known the change has to do. */
function isSince(path: string, since: number): boolean {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.ctimeMs >= since && (stats.birthtimeMs >= since || stats.birthtimeMs === 0);
}

/** Files that have no name any more but are still open. */
function openFiles(pids: readonly number[]): { readonly count: number; readonly bytes: number } {
  const files = new Map<string, number>();
  for (const pid of pids)
    for (const fd of listed(`/proc/${pid}/fd`)) {
      const stats = statOf(`/proc/${pid}/fd/${fd}`);
      if (stats?.isFile() === true && stats.nlink === 0) files.set(`${stats.dev}:${stats.ino}`, stats.blocks * 512);
    }
  return { count: files.size, bytes: [...files.values()].reduce((sum, bytes) => sum + bytes, 0) };
}

/** Resident memory; when that is a lot, each shared page is counted once for all who share it. */
function memoryOf(pids: readonly number[]): number {
  const resident = pids.map((pid) => Number(text(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * PAGE);
  const sum = resident.reduce((total, bytes) => total + bytes, 0);
  if (sum < PROOF_FROM) return sum;
  return pids.reduce((total, pid) => total + proportional(pid), 0);
}

/** Below any limit there is: looking at each page is dear. */
const PROOF_FROM = 1024 ** 3;
const PAGE = 4_096; // where pages are larger too little is counted, and the limit of each process holds

function proportional(pid: number): number {
  return Number(/^Pss: +(\d+) kB/m.exec(text(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1_024;
}

function inMegabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}

function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path);
  } catch {
    return undefined; // closed meanwhile
  }
}

function listed(path: string): readonly string[] {
  try {
    return fs.readdirSync(path);
  } catch {
    return []; // the process is gone
  }
}

function entriesOf(path: string): readonly fs.Dirent[] {
  try {
    return listUnseen(path).entries;
  } catch {
    return []; // removed meanwhile
  }
}

function text(path: string): string {
  try {
    return fs.readFileSync(path, "latin1");
  } catch {
    return ""; // the process is gone
  }
}
