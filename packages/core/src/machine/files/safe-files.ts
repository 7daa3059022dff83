// Files as tools see them: inside the workspace by what is opened, not by what a path says.
import { type BigIntStats, type Dirent, existsSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { opendir } from "node:fs/promises";
import { join, relative } from "node:path";
import { classifyPath, liesIn, type PathClass } from "../../lib/paths/path-class.ts";
import { hasCode } from "../../lib/errors/errors.ts";
import { makeDirectory } from "./files.ts";
import { identity, isStillAt, type OpenDirectory } from "./open-directory.ts";
import { type OpenFile, openFile } from "./open-file.ts";
import { identitiesOf, protectionOf } from "./protected-places.ts";
import { MAX_FILE_BYTES, refuse, refusalOf } from "./refusal.ts";
import { replaceEntry, removeTemporary } from "./safe-replace.ts";
import { insideRoot, type Place, split, walk, WalkRefused } from "./safe-walk.ts";

const MAX_PATH_BYTES = 3840; // Linux, limits.h: PATH_MAX is 4096; a temporary name has to fit as well
const MAX_NAME_BYTES = 255; // Linux, limits.h: NAME_MAX
const MAX_DEPTH = 256; // each level holds a descriptor open while it is walked
/** Times that a file is looked at anew when it was exchanged while it was opened. */
const MAX_LOOKS = 20;

export interface SafeFilesOptions {
  /** The workspace, absolute. It may be reached through links; what lies in it may not lead out. */
  readonly root: string;
  /** False: files outside may be read, and written when the path says openly that it is outside. */
  readonly restrict: boolean;
  /**
   * Absolute directories or files that are never read, listed or written: the agent's own state. A workspace in one
   * of them is not meant.
   */
  readonly protect?: readonly string[];
  /** Directories of the workspace, relative to it, that are never written: received media. */
  readonly readOnly?: readonly string[];
  /** Files may have other names: for a directory of the program's own, where package managers make them. */
  readonly hardLinks?: boolean;
}
export interface FoundFile extends OpenFile {
  /** Relative to the workspace with `/`; absolute when it lies outside. Links resolved. */
  readonly real: string;
}
export interface Entry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
  /** Of a link. */
  readonly target?: string;
}
export interface WriteOptions {
  /** Our own files under `.margay/`, which tools may not write. */
  readonly own?: boolean;
  /** The file as it was when it was read: anything else there now is a refusal. */
  readonly unchanged?: BigIntStats;
  /**
   * Called when the place is found and may be written, and over before anything is to be seen there. `real`: as `FoundFile.real`.
   * `made`: directories that were made for it, likewise.
   */
  readonly before?: (real: string, made: readonly string[]) => void | Promise<void>;
}
/** Every refusal is a RuntimeError `tool.refused` with a text for the model. Other errors are the file system's. */
export interface SafeFiles {
  readonly root: string;
  /** A regular file with no other name, at most 100 MB. */
  read(path: string): Promise<FoundFile>;
  /** Old or new content, never a mix; makes parents, keeps mode bits. */
  write(path: string, data: Uint8Array, options?: WriteOptions): Promise<void>;
  /** The entries of a directory, in no order; they may be many. */
  list(path: string): AsyncIterable<Entry>;
  /** A directory held open: to walk below it without leaving it. */
  directory(path: string): Promise<OpenDirectory & { readonly shown: string }>;
  /** Removes one file of ours. Missing is fine. */
  remove(path: string): Promise<void>;
  /** Removes what a crash left of unfinished writes. */
  cleanUp(): Promise<void>;
  /** `dev:ino` of what is never opened. */
  forbidden(): ReadonlySet<string>;
}

/** Where files are looked for. */
interface Opener {
  readonly options: SafeFilesOptions;
  /** Without links; made anew when somebody has removed it. */
  readonly realRoot: () => string;
}

export function safeFiles(options: SafeFilesOptions): SafeFiles {
  const { root, protect = [] } = options;
  let resolved: string | undefined;
  const realRoot = (): string => {
    if (resolved !== undefined && !existsSync(resolved)) makeDirectory(resolved); // somebody has removed it
    return (resolved ??= realpathSync.native(root));
  };
  const opener: Opener = { options, realRoot };
  /** Words whatever goes wrong with the path that the model gave. */
  const worded = async <T>(path: string, work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw word(error, path, root);
    }
  };
  const files: SafeFiles = {
    root,
    forbidden: () => identitiesOf(protect),
    read: (path) => worded(path, () => read(opener, path)),
    write: (path, data, how = {}) => worded(path, () => write(opener, path, data, how)),
    directory: (path) =>
      worded(path, () => {
        const place = locate(opener, path, false);
        if (place.name === undefined) return Object.assign(place.directory, { shown: shownReal(opener, place) });
        place.directory.close();
        throw new WalkRefused(place.found === undefined ? "missing" : "not-directory");
      }),
    list: async function* (path) {
      const directory = await files.directory(path);
      try {
        const entries = await worded(path, () => opendir(directory.at("."), { bufferSize: 256 }));
        await worded(path, () => directory.verify());
        for await (const entry of entries) yield toEntry(entry, directory);
      } finally {
        directory.close();
      }
    },
    remove: (path) =>
      worded(path, () => {
        const place = locate(opener, path, false);
        try {
          if (place.name !== undefined) rmSync(place.directory.at(place.name), { force: true });
        } finally {
          place.directory.close();
        }
      }),
    cleanUp: async () => removeTemporary(realRoot()),
  };
  return files;
}

/** Walks there. @param made Told of each directory that was made on the way. */
function locate({ options, realRoot }: Opener, path: string, create: boolean, made?: (real: string) => void): Place {
  const { root, restrict, protect = [] } = options;
  if (path.includes("\0") || isStrangeOnWindows(path)) throw new WalkRefused("invalid");
  const real = realRoot();
  if (isTooLong(join(real, path))) throw new WalkRefused("long");
  const from = restrict ? { root: real, aliases: [root] } : { root: topOf(real), aliases: [] };
  const components = restrict ? bounded(path, [real, root]) : unbounded(path, real, from.root);
  return walk(components, {
    ...from,
    protection: protectionOf(protect, real),
    create,
    ...(made !== undefined && { made }),
  });
}

function shownReal({ realRoot }: Opener, place: Place): string {
  return show(realRoot(), join(place.directory.real, place.name ?? ""));
}

function read(opener: Opener, path: string): FoundFile {
  const { restrict, hardLinks } = opener.options;
  for (let looks = 1; ; looks += 1) {
    const place = locate(opener, path, false);
    try {
      return openPlace(place, restrict && hardLinks !== true, shownReal(opener, place));
    } catch (error) {
      // Programs that save a file put another one in its place.
      if (!(error instanceof WalkRefused && error.why === "changed" && looks < MAX_LOOKS)) throw error;
    } finally {
      place.directory.close();
    }
  }
}

async function write(opener: Opener, path: string, data: Uint8Array, how: WriteOptions): Promise<void> {
  const { options, realRoot } = opener;
  if (data.length > MAX_FILE_BYTES) throw new WalkRefused("large");
  const made: string[] = [];
  const place = locate(opener, path, true, (directory) => made.push(show(realRoot(), directory)));
  try {
    const real = shownReal(opener, place);
    if (how.own !== true) assertWritable(path, real, options);
    const { before, unchanged } = how;
    await replaceEntry(place, data, {
      root: realRoot(),
      ...(before !== undefined && { before: () => before(real, made) }),
      ...(unchanged !== undefined && { unchanged }),
    });
  } finally {
    place.directory.close();
  }
}

function openPlace(place: Place, oneName: boolean, real: string): FoundFile {
  const { directory, name, found } = place;
  if (name === undefined) throw new WalkRefused("directory");
  if (found === undefined) throw new WalkRefused("missing");
  if (!found.isFile()) throw new WalkRefused("special");
  const file = openFile(directory.at(name));
  try {
    const { stats } = file;
    directory.verify({ name, identity: identity(stats) });
    if (!stats.isFile()) throw new WalkRefused("special");
    // A name that was there for the moment of opening only may have been a second one of something outside.
    if (identity(found) !== identity(stats)) throw new WalkRefused("changed");
    // Another name of the same file may lie outside, where its owner never meant it to be read.
    if (oneName && stats.nlink > 1n) throw new WalkRefused("linked");
    if (oneName && !isStillAt(directory.at(name), stats)) throw new WalkRefused("changed");
    if (stats.size > BigInt(MAX_FILE_BYTES)) throw new WalkRefused("large");
    return { ...file, real };
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

/**
 * The policy judged the path as it was written. A link may lead it somewhere that the policy would have judged
 * otherwise: such a write is refused, since nobody approved it.
 */
function assertWritable(path: string, real: string, options: SafeFilesOptions): void {
  if ((options.readOnly ?? []).some((place) => liesIn(place, real))) throw new WalkRefused("protected");
  const judged = classifyPath(options.root, path, options.protect);
  const actual = classifyPath(options.root, real, options.protect);
  const harmless: readonly PathClass[] = ["inside", judged];
  if (actual === "state" || !harmless.includes(actual))
    throw new WalkRefused(actual === "outside" ? "outside" : "protected");
}

/** What is walked below the workspace. */
function bounded(path: string, roots: readonly string[]): readonly string[] {
  const inside = /^~(?:[\\/]|$)/.test(path) ? "outside" : insideRoot(path, roots);
  if (inside === "outside") throw new WalkRefused("outside");
  return inside === "relative" ? split(path) : inside;
}

/** What is walked below the top of the file system. */
function unbounded(path: string, workspace: string, top: string): readonly string[] {
  const inside = insideRoot(path, [top]);
  if (inside === "outside") throw new WalkRefused("outside"); // another drive
  return inside === "relative" ? [...split(relative(top, workspace)), ...split(path)] : inside;
}

function show(root: string, real: string): string {
  const inside = insideRoot(real, [root]);
  return typeof inside === "string" ? real : inside.join("/");
}

function word(error: unknown, path: string, workspace: string): unknown {
  if (hasCode(error, "tool.refused")) return error;
  const why = error instanceof WalkRefused ? error.why : refusalOf(error);
  return why === undefined ? error : refuse(why, path, workspace);
}

function toEntry(entry: Dirent, directory: OpenDirectory): Entry {
  if (entry.isSymbolicLink()) return { name: entry.name, kind: "link", target: targetOf(directory.at(entry.name)) };
  return { name: entry.name, kind: entry.isDirectory() ? "directory" : entry.isFile() ? "file" : "other" };
}

function targetOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "?"; // gone or unreadable: still listed
  }
}

function topOf(path: string): string {
  return process.platform === "win32" ? path.slice(0, 3) : "/";
}

/** Step by step more could be made than any program can name afterwards, and nobody could remove it. */
function isTooLong(path: string): boolean {
  const names = split(path);
  return (
    Buffer.byteLength(path) > MAX_PATH_BYTES ||
    names.length > MAX_DEPTH ||
    names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)
  );
}

/** Windows reads drives, streams, device names and trailing dots into names that look harmless. */
function isStrangeOnWindows(path: string): boolean {
  if (process.platform !== "win32") return false;
  const [first = "", ...rest] = split(path);
  return [...(/^[a-z]:$/i.test(first) ? [] : [first]), ...rest].some(
    (name) =>
      /[<>:"|?*]/.test(name) ||
      /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i.test(name) ||
      (/[. ]$/.test(name) && !/^\.{1,2}$/.test(name)),
  );
}
