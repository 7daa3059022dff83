// From a path to the directory that holds its last name, one component at a time, never out of the root.
import { type BigIntStats, lstatSync, mkdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { identity, type OpenDirectory, openChild, openDirectory } from "./open-directory.ts";
import { errorCode, type Refusal } from "./refusal.ts";

/** Where a path leads. `name` is undefined when it leads to the directory itself. Close the directory after use. */
export interface Place {
  readonly directory: OpenDirectory;
  readonly name: string | undefined;
  /** Undefined: nothing is there yet. Never a link. */
  readonly found: BigIntStats | undefined;
}

/** What is never opened, by where it really lies. */
export interface Protection {
  /** Neither opened nor passed. @param real an entry, links above it resolved. @param id its `dev:ino`, when it exists. */
  refuses(real: string, id: string | undefined): boolean;
  /** Passed, but not listed. */
  refusesListing(real: string): boolean;
}

export interface WalkOptions {
  /** Absolute, without links. `..` and links that lead above it are refused. */
  readonly root: string;
  /** Other spellings of the root that an absolute link may use. */
  readonly aliases: readonly string[];
  readonly protection: Protection;
  /** Makes missing directories on the way. */
  readonly create: boolean;
  /** Told of each that it made. */
  readonly made?: (real: string) => void;
}

/** Why a walk ended; the caller words it with the path the model gave. */
export class WalkRefused extends Error {
  override readonly name = "WalkRefused";
  readonly why: Refusal;
  constructor(why: Refusal) {
    super(why);
    this.why = why;
  }
}

const MAX_LINKS = 40; // Linux, path_resolution(7)
/** Steps taken again: directories made on the way, and names that changed between two looks. */
const MAX_RETRIES = 1000;
/** Directories whose entries are doors rather than files: processes, kernel settings, devices. */
const DOORS = new Set(["/proc", "/sys", "/dev"]);

/**
 * Follows links by hand, so that each step is taken inside the root; `..` goes back the way that was come, as in the
 * kernel, not as in the text.
 * @throws WalkRefused. @throws the file system's error.
 */
export function walk(components: readonly string[], options: WalkOptions): Place {
  const stack = [openDirectory(options.root)];
  try {
    const place = descend([...components], stack, options);
    for (const directory of stack) if (directory !== place.directory) directory.close();
    return place;
  } catch (error) {
    for (const directory of stack) directory.close();
    throw error;
  }
}

function descend(queue: string[], stack: OpenDirectory[], options: WalkOptions): Place {
  let links = 0;
  let retries = 0;
  for (;;) {
    const top = last(stack);
    const name = queue.shift();
    if (name === undefined) {
      if (options.protection.refusesListing(top.real)) throw new WalkRefused("protected");
      return { directory: top, name: undefined, found: undefined };
    }
    if (name === "" || name === ".") continue;
    if (name === "..") {
      goUp(stack, options.root);
      continue;
    }
    const found = look(top, name);
    const id = found === undefined ? undefined : identity(found);
    if (options.protection.refuses(join(top.real, name), id)) throw new WalkRefused("protected");
    if (found?.isSymbolicLink() === true) {
      links = next(links, MAX_LINKS);
      const target = tolerating(SWAPPED, () => readlinkSync(top.at(name)));
      queue.unshift(...(target === undefined ? [name] : follow(target, stack, options)));
    } else if (queue.length === 0 && found?.isDirectory() !== true) {
      return { directory: top, name, found };
    } else if (found === undefined) {
      if (!options.create) throw new WalkRefused("missing");
      retries = next(retries, MAX_RETRIES);
      tolerating(["EEXIST"], () => {
        mkdirSync(top.at(name));
        options.made?.(join(top.real, name));
      });
      queue.unshift(name);
    } else {
      if (!found.isDirectory()) throw new WalkRefused("not-directory");
      const child = tolerating(SWAPPED, () => openChild(top, name));
      if (child === undefined) {
        retries = next(retries, MAX_RETRIES); // it became a link or vanished since it was looked at: look again
        queue.unshift(name);
      } else {
        stack.push(child);
        if (DOORS.has(child.real)) throw new WalkRefused("outside");
      }
    }
  }
}

function look(directory: OpenDirectory, name: string): BigIntStats | undefined {
  // Without a throw for what is missing, which is common where a file is to be written.
  return lstatSync(directory.at(name), { bigint: true, throwIfNoEntry: false });
}

function goUp(stack: OpenDirectory[], root: string): void {
  if (stack.length > 1) stack.pop()?.close();
  else if (root !== "/") throw new WalkRefused("outside");
}

/** The components that replace a link. An absolute one starts again at the root, when that is where it leads. */
function follow(target: string, stack: OpenDirectory[], options: WalkOptions): readonly string[] {
  const rest = insideRoot(target, [options.root, ...options.aliases]);
  if (rest === "outside") throw new WalkRefused("outside");
  if (rest === "relative") return split(target);
  for (const directory of stack.splice(1).toReversed()) directory.close();
  return rest;
}

/** What follows the root in an absolute path, by components: `ws-evil` is not inside `ws`. */
export function insideRoot(path: string, roots: readonly string[]): readonly string[] | "relative" | "outside" {
  const windows = process.platform === "win32";
  if (!(path.startsWith("/") || (windows && /^(?:[a-z]:|[\\/])/i.test(path)))) return "relative";
  const names = split(path).filter((name) => name !== "" && name !== ".");
  for (const root of roots) {
    const prefix = split(root).filter((name) => name !== "");
    if (prefix.every((name, index) => same(name, names[index], windows))) return names.slice(prefix.length);
  }
  return "outside";
}

export function split(path: string): readonly string[] {
  return path.split(process.platform === "win32" ? /[\\/]/ : "/");
}

function same(left: string, right: string | undefined, windows: boolean): boolean {
  return left === right || (windows && left.toLowerCase() === right?.toLowerCase());
}

function next(count: number, max: number): number {
  if (count >= max) throw new WalkRefused("loop");
  return count + 1;
}

/** Somebody put something else there between two steps. */
const SWAPPED = ["ELOOP", "ENOTDIR", "ENOENT", "EINVAL"];

function tolerating<T>(codes: readonly string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!codes.includes(errorCode(error) ?? "")) throw error;
    return undefined;
  }
}

function last(stack: readonly OpenDirectory[]): OpenDirectory {
  const top = stack.at(-1);
  if (top === undefined) throw new Error("the walk lost its root");
  return top;
}
