// A directory held open, and names looked up in it: nobody can swap the path underneath.
// Synchronous: one name in one directory takes microseconds, its way through the thread pool ten times as long.
import { type BigIntStats, closeSync, constants, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";

export interface OpenDirectory {
  /** Where it was found, links resolved. */
  readonly real: string;
  /** The path of an entry, valid while the directory is open. `at(".")` is the directory itself. */
  at(name: string): string;
  /**
   * The directory still is where it was found, and after something was opened or moved here: that really is here. Where
   * the directory is held by descriptor, the entry needs no look. @param entry the name and the `dev:ino` of what was
   * opened. @throws Error with code ELOOP.
   */
  verify(entry?: { readonly name: string; readonly identity: string }): void;
  close(): void;
}

const O_PATH = 0o10000000; // Linux, fcntl.h: a descriptor for look-ups only; Node.js does not name it
const O_NOFOLLOW_ANY = 0x20000000; // macOS, fcntl.h: no link in any component

/** Flags for opening an entry for reading: no link is followed, and a pipe does not wait for its writer. */
export const READ_FLAGS: number =
  constants.O_RDONLY | noFollow() | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
/** Flags for creating a file that is not there. */
export const CREATE_FLAGS: number = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow();

/** @param real absolute, without links. */
export function openDirectory(real: string): OpenDirectory {
  return open_(real, real);
}

/** @throws Error with code ENOTDIR or ELOOP when the entry is a link or no directory. */
export function openChild(parent: OpenDirectory, name: string): OpenDirectory {
  return open_(parent.at(name), join(parent.real, name));
}

export function identity(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}`;
}

/**
 * Whether this stands at `path`, unchanged since `stats`, its names included. So what had one name then has that one: it
 * is not the second name of a file elsewhere, there for a moment. Before a rename takes a name away, the kernel counts
 * one less and still finds the file by it; a look-up of a name that it never saw waits in that directory until that is over.
 */
export function isStillAt(path: string, stats: BigIntStats): boolean {
  lstatSync(join(dirname(path), randomUUID()), { throwIfNoEntry: false });
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (now === undefined || identity(now) !== identity(stats)) return false;
  return now.nlink === stats.nlink && now.ctimeNs === stats.ctimeNs; // a link and a rename change the time, too
}

function open_(path: string, real: string): OpenDirectory {
  return process.platform === "linux" ? byDescriptor(path, real) : byPath(real);
}

/** Linux: every look-up goes through the descriptor, by way of /proc/self/fd. */
function byDescriptor(path: string, real: string): OpenDirectory {
  let fd: number | undefined = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const base = `/proc/self/fd/${fd}`;
  return {
    real,
    at: (name) => `${base}/${name}`,
    // What is written here was judged by this path; a directory that was moved meanwhile has another, or none.
    verify: () => {
      if (readlinkSync(base) !== real) throw swapped(real);
    },
    close: () => {
      if (fd !== undefined) closeSync(fd);
      fd = undefined; // closed twice, the number may belong to somebody else by then
    },
  };
}

/**
 * Elsewhere Node.js has no look-up by descriptor. The path holds no links when it is made; `verify` after an open finds
 * a swap, and on macOS the kernel refuses links that appear in between.
 */
function byPath(real: string): OpenDirectory {
  const before = lstatSync(real, { bigint: true });
  if (!before.isDirectory()) throw Object.assign(new Error(`${real} is not a directory`), { code: "ENOTDIR" });
  const verify: OpenDirectory["verify"] = (entry) => {
    // The directory before and after the entry: a swap would have to fit between each two of these looks.
    const isHere = (): boolean =>
      identity(lstatSync(real, { bigint: true })) === identity(before) && realpathSync.native(real) === real;
    const isEntry = (): boolean =>
      entry === undefined || identity(lstatSync(join(real, entry.name), { bigint: true })) === entry.identity;
    if (!(isHere() && isEntry() && isHere())) throw swapped(real);
  };
  return { real, at: (name) => join(real, name), verify, close: () => undefined };
}

function swapped(real: string): Error {
  return Object.assign(new Error(`${real} was swapped`), { code: "ELOOP" });
}

function noFollow(): number {
  return process.platform === "darwin" ? O_NOFOLLOW_ANY : (constants.O_NOFOLLOW ?? 0);
}
