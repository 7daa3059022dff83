/**
 * Which files a command handled. The kernel writes down who was read: under `relatime` the access time of a file moves at the
 * first read after it was set back. What hides that moves the change time, which no program can set.
 */
import fs from "node:fs";
import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { ARMED_NS, setBack } from "../machine/files/access-time.ts";
import { type OpenDirectory, openChild, openDirectory } from "../machine/files/open-directory.ts";
import { fileId } from "./file-labels.ts";
import { TICK_NS } from "../undo/file-state.ts";
import type { Slices } from "../undo/slices.ts";

/** What a file was like when it was armed. `directory`: only its own reading counts, not what is put into it. */
interface Armed {
  readonly id: string;
  readonly atimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly directory: boolean;
  /** Its access time could not be set back: nobody can tell whether it is read. */
  readonly failed?: true;
}

export interface HandledFiles {
  /**
   * Sets the access times back, and remembers how all is. Only while no command runs: arming anew loses a read.
   * @param paths real, relative to the workspace.
   */
  arm(paths: Iterable<string>, told: ArmTold, slices: Slices): Promise<void>;
  /** Those that were read, changed, moved or removed since. */
  handled(paths: Iterable<string>, slices: Slices): Promise<readonly string[]>;
}

export interface ArmTold {
  /** Of each file that is there. */
  readonly met: (path: string, stats: fs.BigIntStats) => void;
  /** Of each whose change time moved by it. */
  readonly restamped: Restamped;
}
export type Restamped = (path: string, before: fs.BigIntStats, after: fs.BigIntStats) => void;

/**
 * Whether a file system keeps access times, tried on a file without a name: those mounted with `noatime`, and some of the
 * network, do not. Then nobody can tell what was read.
 */
export function keepsAccessTimes(workspace: string): boolean {
  const { O_RDWR, O_RDONLY } = fs.constants;
  let fd: number | undefined;
  let named: string | undefined;
  try {
    try {
      fd = fs.openSync(workspace, O_TMPFILE | O_RDWR, 0o600);
    } catch {
      named = join(workspace, `.margay-${randomUUID()}`);
      fd = fs.openSync(named, "wx+", 0o600);
    }
    const path = `/proc/self/fd/${fd}`;
    fs.writeSync(fd, "read me");
    const before = fs.fstatSync(fd, { bigint: true });
    setBack(fd);
    const armed = fs.fstatSync(fd, { bigint: true });
    const reader = fs.openSync(path, O_RDONLY);
    fs.readSync(reader, Buffer.alloc(7));
    fs.closeSync(reader);
    const read = fs.fstatSync(fd, { bigint: true });
    return armed.atimeNs === ARMED_NS && armed.mtimeNs === before.mtimeNs && read.atimeNs !== ARMED_NS;
  } catch {
    return false; // no access, no /proc: coarse is safe
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
    if (named !== undefined) fs.rmSync(named, { force: true });
  }
}

/** Linux, fcntl.h; Node.js does not name it. */
const O_TMPFILE = 0o20200000;

export function createHandledFiles(workspace: string): HandledFiles {
  let armed: Map<string, Armed | undefined> | undefined;
  return {
    arm: async (paths, told, slices) => {
      armed = undefined; // should it fail half-way
      const next = new Map<string, Armed | undefined>();
      await eachEntry(workspace, paths, slices, (path, at) =>
        next.set(path, at === undefined ? undefined : armOne(path, at, told)),
      );
      armed = next;
    },
    handled: async (paths, slices) => {
      const found: string[] = [];
      const before = armed;
      await eachEntry(workspace, paths, slices, (path, at) => {
        if (before === undefined || isHandled(at, before.get(path))) found.push(path);
      });
      return found;
    },
  };
}

function armOne(path: string, at: string, { met, restamped }: ArmTold): Armed | undefined {
  const before = statOf(at);
  if (before === undefined) return undefined;
  met(path, before);
  let stats = before;
  if (before.atimeNs !== ARMED_NS) {
    try {
      setBack(at);
    } catch {
      return { ...armedOf(before), failed: true }; // not ours, or a file system that may not be written to
    }
    stats = statOf(at) ?? before;
    restamped(path, before, stats);
  }
  return stats.atimeNs === ARMED_NS ? armedOf(stats) : { ...armedOf(stats), failed: true };
}

function armedOf(stats: fs.BigIntStats): Armed {
  const { atimeNs, ctimeNs } = stats;
  return { id: fileId(stats), atimeNs, ctimeNs, directory: stats.isDirectory() };
}

function isHandled(at: string | undefined, before: Armed | undefined): boolean {
  const stats = at === undefined ? undefined : statOf(at);
  if (stats === undefined) return before !== undefined; // removed, or moved away
  // It was labelled, or made, while a command ran. A read comes after what was written last.
  // Access times are as coarse as the tick, change times may be finer.
  if (before === undefined) return stats.isDirectory() || stats.atimeNs >= stats.ctimeNs - TICK_NS;
  if (before.failed === true || fileId(stats) !== before.id || stats.atimeNs !== before.atimeNs) return true;
  return !before.directory && stats.ctimeNs !== before.ctimeNs;
}

function statOf(at: string): fs.BigIntStats | undefined {
  try {
    return fs.lstatSync(at, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // its directory became something else
  }
}

/** Each path, by way of its directory, through which no link leads. `at` undefined: the directory is not there. */
async function eachEntry(
  workspace: string,
  paths: Iterable<string>,
  slices: Slices,
  visit: (path: string, at: string | undefined) => void,
): Promise<void> {
  for (const [folder, inside] of Map.groupBy(paths, (path) => dirname(path))) {
    const directory = open(workspace, folder === "." ? [] : folder.split("/"));
    try {
      for (const path of inside) {
        visit(path, directory?.at(basename(path)));
        const wait = slices.pause();
        if (wait !== undefined) await wait;
      }
    } finally {
      directory?.close();
    }
  }
}

function open(workspace: string, names: readonly string[]): OpenDirectory | undefined {
  let directory: OpenDirectory | undefined;
  try {
    directory = openDirectory(fs.realpathSync.native(workspace));
    for (const name of names) {
      const child = openChild(directory, name);
      directory.close();
      directory = child;
    }
    return directory;
  } catch {
    directory?.close();
    return undefined; // gone, or a link leads elsewhere
  }
}
