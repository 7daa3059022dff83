// Atomic replacement in a directory that is held open: temporary file, fsync, rename, fsync of the directory.
import { randomBytes } from "node:crypto";
import fs, { type BigIntStats, constants, lstatSync, mkdirSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { fileSynced } from "./files.ts";
import { CREATE_FLAGS, identity, type OpenDirectory, openChild, openDirectory } from "./open-directory.ts";
import { errorCode } from "./refusal.ts";
import { insideRoot, type Place, WalkRefused } from "./safe-walk.ts";

/** Unfinished writes live here, so that those of a crash are found without a search. */
const TEMPORARY = [".margay", "tmp"] as const;

/** Up to here all but a sync is done at once: the thread pool costs more than the bytes. */
const SMALL_BYTES = 128 * 1024;

const writeLater = promisify(fs.write);

/**
 * Puts `data` where the place is. A link is never there: the walk has followed it. A file with other names is replaced,
 * so that the other names keep the old content.
 * @throws WalkRefused. @throws the file system's error; then the old content is still there.
 */
export async function replaceEntry(
  place: Place,
  data: Uint8Array,
  options: {
    readonly root: string;
    readonly unchanged?: BigIntStats;
    /** Default: that of what stands there. */ readonly mode?: number;
    /** What has to be over before the new content is to be seen. It is written to the disk meanwhile, where nobody looks. */
    readonly before?: () => void | Promise<void>;
  },
): Promise<void> {
  const { directory, name, found } = place;
  if (name === undefined) throw new WalkRefused("directory");
  if (found !== undefined && !found.isFile()) throw new WalkRefused("special");
  const mode = options.mode ?? (found === undefined ? undefined : Number(found.mode & 0o7777n));
  const { before, unchanged } = options;
  const replacement = { directory, name, data, mode, found, ...(unchanged !== undefined && { unchanged }) };
  const there = openShelf(directory, options.root, openPath);
  if (there === undefined) await before?.(); // nothing is made for what is refused, nor to be seen beside the target
  const shelf = there ?? openShelf(directory, options.root, makePath);
  try {
    await put(shelf ?? directory, replacement, there && before);
  } catch (error) {
    // The directory is on another file system than the shelf (a mount in the workspace).
    if (errorCode(error) !== "EXDEV" || shelf === undefined) throw error;
    await put(directory, replacement, undefined);
  } finally {
    shelf?.close();
  }
  await syncDirectory(directory);
}

/** Removes what unfinished writes left behind. */
export async function removeTemporary(root: string): Promise<void> {
  const workspace = openDirectory(root);
  const shelf = openPath(workspace, TEMPORARY);
  workspace.close();
  if (shelf === undefined) return; // nothing to do
  try {
    for (const name of await readdir(shelf.at("."))) await rm(shelf.at(name), { force: true, recursive: true });
  } finally {
    shelf.close();
  }
}

interface Replacement {
  readonly directory: OpenDirectory;
  readonly name: string;
  readonly data: Uint8Array;
  readonly mode: number | undefined;
  readonly found: BigIntStats | undefined;
  readonly unchanged?: BigIntStats;
}

async function put(
  shelf: OpenDirectory,
  { directory, name, data, mode, found, unchanged }: Replacement,
  before: (() => void | Promise<void>) | undefined,
): Promise<void> {
  const temporary = shelf.at(`.${randomBytes(8).toString("hex")}.tmp`);
  const told = before?.(); // what it refuses at once is not written at all
  const [heard, filled] = await Promise.allSettled([told, fill(temporary, data, mode)]);
  try {
    if (heard.status === "rejected") throw heard.reason;
    if (filled.status === "rejected") throw filled.reason;
    directory.verify();
    if (unchanged !== undefined) assertUnchanged(directory.at(name), unchanged);
    // The last name of something large takes its blocks with it, which lasts.
    if ((found?.size ?? 0n) <= SMALL_BYTES) fs.renameSync(temporary, directory.at(name));
    else await rename(temporary, directory.at(name));
    directory.verify({ name, identity: filled.value });
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** @returns the `dev:ino` of the file. */
async function fill(path: string, data: Uint8Array, mode: number | undefined): Promise<string> {
  const fd = fs.openSync(path, CREATE_FLAGS, mode ?? 0o666);
  try {
    const isSmall = data.length <= SMALL_BYTES;
    for (let at = 0; at < data.length;)
      at += isSmall
        ? fs.writeSync(fd, data, at)
        : (await writeLater(fd, data, at, data.length - at, null)).bytesWritten;
    if (mode !== undefined) fs.fchmodSync(fd, mode); // the umask has taken bits away when it was created
    await fileSynced(fd);
    return identity(fs.fstatSync(fd, { bigint: true }));
  } finally {
    fs.closeSync(fd);
  }
}

function assertUnchanged(path: string, before: BigIntStats): void {
  const now = lstatSync(path, { bigint: true });
  if (identity(now) !== identity(before) || now.mtimeNs !== before.mtimeNs || now.size !== before.size)
    throw new WalkRefused("changed");
}

/** Undefined where a temporary file belongs beside its target: outside the workspace, or when `.margay` is no directory. */
function openShelf(directory: OpenDirectory, root: string, enter: typeof openPath): OpenDirectory | undefined {
  if (insideRoot(directory.real, [root]) === "outside") return undefined;
  const workspace = openDirectory(root);
  try {
    return enter(workspace, TEMPORARY);
  } catch {
    return undefined; // a link or a file has that name, or it may not be made: beside the target then
  } finally {
    workspace.close();
  }
}

/** Undefined when one of the names is missing or no directory. */
function openPath(from: OpenDirectory, names: readonly string[]): OpenDirectory | undefined {
  try {
    return descend(from, names, openChild);
  } catch {
    return undefined;
  }
}

function makePath(from: OpenDirectory, names: readonly string[]): OpenDirectory {
  return descend(from, names, (parent, name) => {
    try {
      mkdirSync(parent.at(name), { mode: 0o700 });
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    return openChild(parent, name);
  });
}

/** Leaves `from` open, closes what lies between. */
function descend(
  from: OpenDirectory,
  names: readonly string[],
  enter: (parent: OpenDirectory, name: string) => OpenDirectory,
): OpenDirectory {
  let current = from;
  for (const name of names) {
    const parent = current;
    try {
      current = enter(parent, name);
    } finally {
      if (parent !== from) parent.close();
    }
  }
  return current;
}

/** The new name is durable only when its directory is. */
async function syncDirectory(directory: OpenDirectory): Promise<void> {
  if (process.platform === "win32") return; // a directory cannot be opened there; NTFS journals the rename
  const fd = openToSync(directory.at("."));
  if (fd === undefined) return;
  try {
    await fileSynced(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Undefined: a directory that may be written but not read. */
function openToSync(path: string): number | undefined {
  try {
    return fs.openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    if (errorCode(error) === "EACCES") return undefined;
    throw error;
  }
}
