// Atomic replacement in a directory that is held open: temporary file, fsync, rename, fsync of the directory.
import { randomBytes } from "node:crypto";
import { type BigIntStats, constants, lstatSync, mkdirSync } from "node:fs";
import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { CREATE_FLAGS, identity, type OpenDirectory, openChild, openDirectory } from "./open-directory.ts";
import { errorCode } from "./refusal.ts";
import { insideRoot, type Place, WalkRefused } from "./safe-walk.ts";

/** Unfinished writes live here, so that those of a crash are found without a search. */
const TEMPORARY = [".margay", "tmp"] as const;

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
  },
): Promise<void> {
  const { directory, name, found } = place;
  if (name === undefined) throw new WalkRefused("directory");
  if (found !== undefined && !found.isFile()) throw new WalkRefused("special");
  const mode = options.mode ?? (found === undefined ? undefined : Number(found.mode & 0o7777n));
  const shelf = openShelf(directory, options.root) ?? directory;
  try {
    await put(shelf, directory, name, data, mode, options.unchanged);
  } catch (error) {
    // The directory is on another file system than the shelf (a mount in the workspace).
    if (errorCode(error) !== "EXDEV" || shelf === directory) throw error;
    await put(directory, directory, name, data, mode, options.unchanged);
  } finally {
    if (shelf !== directory) shelf.close();
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

async function put(
  shelf: OpenDirectory,
  directory: OpenDirectory,
  name: string,
  data: Uint8Array,
  mode: number | undefined,
  unchanged: BigIntStats | undefined,
): Promise<void> {
  const temporary = shelf.at(`.${randomBytes(8).toString("hex")}.tmp`);
  const file = await open(temporary, CREATE_FLAGS, mode ?? 0o666);
  try {
    const written = await fill(file, data, mode);
    directory.verify();
    if (unchanged !== undefined) assertUnchanged(directory.at(name), unchanged);
    await rename(temporary, directory.at(name));
    directory.verify({ name, identity: written });
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** @returns the `dev:ino` of the file. */
async function fill(file: FileHandle, data: Uint8Array, mode: number | undefined): Promise<string> {
  try {
    await file.writeFile(data);
    if (mode !== undefined) await file.chmod(mode); // the umask has taken bits away when it was created
    await file.sync();
    return identity(await file.stat({ bigint: true }));
  } finally {
    await file.close();
  }
}

function assertUnchanged(path: string, before: BigIntStats): void {
  const now = lstatSync(path, { bigint: true });
  if (identity(now) !== identity(before) || now.mtimeNs !== before.mtimeNs || now.size !== before.size)
    throw new WalkRefused("changed");
}

/** Undefined where a temporary file belongs beside its target: outside the workspace, or when `.margay` is no directory. */
function openShelf(directory: OpenDirectory, root: string): OpenDirectory | undefined {
  if (insideRoot(directory.real, [root]) === "outside") return undefined;
  const workspace = openDirectory(root);
  try {
    return openPath(workspace, TEMPORARY) ?? makePath(workspace, TEMPORARY);
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
  const handle = await open(directory.at("."), constants.O_RDONLY | constants.O_DIRECTORY).catch((error: unknown) => {
    if (errorCode(error) === "EACCES") return undefined; // a directory that may be written but not read
    throw error;
  });
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}
