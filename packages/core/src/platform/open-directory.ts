// A directory held open, and names looked up in it: nobody can swap the path underneath.
import { type BigIntStats, constants } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { join } from "node:path";

export interface OpenDirectory {
  /** Where it was found, links resolved. */
  readonly real: string;
  /** The path of an entry, valid while the directory is open. `at(".")` is the directory itself. */
  at(name: string): string;
  /**
   * After something was opened or moved here: it really is here. Nothing to check where the directory is held by
   * descriptor. @param entry the name and the `dev:ino` of what was opened. @throws Error with code ELOOP.
   */
  verify(entry?: { readonly name: string; readonly identity: string }): Promise<void>;
  close(): Promise<void>;
}

const O_PATH = 0o10000000; // Linux, fcntl.h: a descriptor for look-ups only; Node.js does not name it
const O_NOFOLLOW_ANY = 0x20000000; // macOS, fcntl.h: no link in any component

/** Flags for opening an entry for reading: no link is followed, and a pipe does not wait for its writer. */
export const READ_FLAGS: number =
  constants.O_RDONLY | noFollow() | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
/** Flags for creating a file that is not there. */
export const CREATE_FLAGS: number = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow();

/** @param real absolute, without links. */
export async function openDirectory(real: string): Promise<OpenDirectory> {
  return open_(real, real);
}

/** @throws Error with code ENOTDIR or ELOOP when the entry is a link or no directory. */
export async function openChild(parent: OpenDirectory, name: string): Promise<OpenDirectory> {
  return open_(parent.at(name), join(parent.real, name));
}

export function identity(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}`;
}

async function open_(path: string, real: string): Promise<OpenDirectory> {
  return process.platform === "linux" ? byDescriptor(path, real) : byPath(real);
}

/** Linux: every look-up goes through the descriptor, by way of /proc/self/fd. */
async function byDescriptor(path: string, real: string): Promise<OpenDirectory> {
  const handle = await open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const base = `/proc/self/fd/${handle.fd}`;
  return { real, at: (name) => `${base}/${name}`, verify: async () => undefined, close: () => handle.close() };
}

/**
 * Elsewhere Node.js has no look-up by descriptor. The path holds no links when it is made; `verify` after an open finds
 * a swap, and on macOS the kernel refuses links that appear in between.
 */
async function byPath(real: string): Promise<OpenDirectory> {
  const before = await lstat(real, { bigint: true });
  if (!before.isDirectory()) throw Object.assign(new Error(`${real} is not a directory`), { code: "ENOTDIR" });
  const verify: OpenDirectory["verify"] = async (entry) => {
    // The directory before and after the entry: a swap would have to fit between each two of these looks.
    const isHere = async (): Promise<boolean> => {
      const [now, path] = await Promise.all([lstat(real, { bigint: true }), realpath(real)]);
      return identity(now) === identity(before) && path === real;
    };
    const isEntry = async (): Promise<boolean> =>
      entry === undefined || identity(await lstat(join(real, entry.name), { bigint: true })) === entry.identity;
    if (!((await isHere()) && (await isEntry()) && (await isHere())))
      throw Object.assign(new Error(`${real} was swapped`), { code: "ELOOP" });
  };
  return { real, at: (name) => join(real, name), verify, close: async () => undefined };
}

function noFollow(): number {
  return process.platform === "darwin" ? O_NOFOLLOW_ANY : (constants.O_NOFOLLOW ?? 0);
}
