// What a program may not change in the workspace, as mounts over it and names to look after.
import fs from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "../platform/paths.ts";
import type { Survey } from "./survey.ts";

/**
 * - `writable`: the directory over itself, so that it cannot be moved out of the way.
 * - `readonly`: the same, and nothing in it can be changed.
 * - `empty`: an empty directory instead of what is there.
 * - `nothing`: no file that could be opened, instead of what is there.
 */
export interface Mount {
  readonly kind: "writable" | "readonly" | "empty" | "nothing";
  readonly path: string;
}

/** A name as it must be when the program has ended. */
export interface Guarded {
  readonly path: string;
  /** The target of the link it is. */
  readonly link?: string;
  /** What it is, as `dev:ino`: something else under its name does not stay. */
  readonly identity?: string;
}

/**
 * Nothing stands for what is missing: a program sees what is there. What it makes under a protected name is moved away while it
 * runs, see `quarantine/`.
 */
export interface Protection {
  /** Parents before what is in them. */
  readonly mounts: readonly Mount[];
  /** Names no mount can hold. */
  readonly guarded: readonly Guarded[];
  /** Repositories whose configuration is a file that the program can't change, unless somebody exchanges it meanwhile. */
  readonly open: readonly string[];
  /** Of what is labelled: shown below a read-only mount, where a read leaves no trace. */
  readonly untraced: readonly string[];
}

/** Each mount costs time: past this many places, the folder of the workspace they lie in becomes read-only as a whole; empty, past so many sockets. */
const MAX_PLACES = 200;
/** Of so many repositories only what matters is read-only; where there are more, all of them, but for those the command names. */
const MAX_OPEN = 4;
const MAX_NAMED = 8;

interface ProtectOptions {
  readonly inbox: boolean;
  /** Whether the program is about a directory. */
  readonly isNamed: (path: string) => boolean;
  /** Whether the program may change the configuration of open repositories: what it leaves there is looked at (SC31). */
  readonly mayConfigure: boolean;
  /** Absolute paths that hold strangers' texts, and whether the program is about one. Default: none. */
  readonly labelled?: { readonly paths: readonly string[]; readonly isMentioned: (path: string) => boolean };
}

export function protect(workspace: string, survey: Survey, options: ProtectOptions): Protection {
  const mounts = new Map<string, Mount>();
  const guarded: Guarded[] = survey.links.map((path) => ({ path, link: fs.readlinkSync(path) }));
  const add = (kind: Mount["kind"], path: string): void => void mounts.set(path, { kind, path });
  for (const path of survey.links.slice(0, MAX_PLACES)) {
    const target = targetIn(workspace, path);
    if (target !== undefined) add("readonly", target);
  }
  for (const path of [...survey.named].slice(0, MAX_PLACES)) if (!mounts.has(path)) add("readonly", path);
  const repositories = survey.repositories.slice(0, MAX_PLACES);
  const named = repositories.filter((path) => options.isNamed(dirname(path))).slice(0, MAX_NAMED);
  const open = new Set(repositories.length <= MAX_OPEN ? repositories : named);
  for (const directory of repositories) {
    if (!open.has(directory)) {
      add("readonly", directory);
      // Its parents can be moved away with it; then what takes its name is put aside afterwards.
      guarded.push({ path: directory, identity: identityOf(directory) });
      continue;
    }
    // All that leads to it: a parent that is moved away would take the protection along.
    for (const parent of between(workspace, directory)) if (!mounts.has(parent)) add("writable", parent);
    for (const name of ["hooks", "commondir", ...(options.mayConfigure ? [] : ["config", "config.worktree"])]) {
      const path = join(directory, name);
      const kind = kindOf(path);
      if (kind === "link") guarded.push({ path, link: fs.readlinkSync(path) });
      else if (kind === "other" && !mounts.has(path)) add("readonly", path);
    }
  }
  for (const path of [...survey.named, ...survey.repositories].slice(MAX_PLACES)) {
    const folder = between(workspace, path)[0] ?? path;
    if (mounts.get(folder)?.kind !== "empty") add("readonly", folder);
  }
  for (const path of survey.sockets.slice(0, MAX_PLACES)) add("nothing", path);
  // Read-only is not enough: a socket can be talked to all the same.
  for (const path of survey.sockets.slice(MAX_PLACES)) {
    const folder = between(workspace, path)[0] ?? path;
    add(folder === path ? "nothing" : "empty", folder);
  }
  const inbox = join(workspace, "inbox");
  if (!options.inbox && kindOf(inbox) === "other") add("empty", inbox);
  const ordered = inOrder(mounts);
  const { masks, untraced } = maskLabelled(ordered, survey, options);
  return { mounts: [...ordered, ...masks], guarded, open: [...open], untraced };
}

/**
 * Instead of a stranger's file that is not named: nothing, since no access time moves below a read-only mount. Repositories are
 * left as they are, git would take them for damaged: what comes out of them is known again by its text.
 */
function maskLabelled(
  mounts: readonly Mount[],
  { repositories }: Survey,
  { labelled }: Pick<ProtectOptions, "labelled">,
): { readonly masks: readonly Mount[]; readonly untraced: readonly string[] } {
  if (labelled === undefined) return { masks: [], untraced: [] };
  const readonly = mounts.filter(({ kind }) => kind === "readonly").map(({ path }) => path);
  const inside = new Set(repositories);
  const closed = new Set(readonly.filter((path) => !isBelow(path, inside)));
  // In a tree that is a stranger's as a whole, a repository too: nobody has read what is in it, to know it again.
  const whole = new Set(labelled.paths);
  const inTrees = readonly.filter((path) => !isBelow(dirname(path), inside) && isBelow(path, whole));
  const inClosed = labelled.paths.filter((file) => isBelow(file, closed));
  const hidden = [...new Set([...inTrees, ...inClosed])];
  const untraced = hidden.filter(labelled.isMentioned);
  const masked = hidden.filter((file) => !untraced.includes(file) && kindOf(file) === "other");
  if (masked.length <= MAX_PLACES)
    return {
      masks: masked.map((path) => ({ kind: fs.lstatSync(path).isDirectory() ? "empty" : "nothing", path })),
      untraced,
    };
  // Too many for a mount each: all that is read-only and holds one.
  const folders = readonly.filter((path) => masked.some((file) => isInside(path, file)));
  return { masks: folders.map((path) => ({ kind: "empty", path })), untraced: [] };
}

/** Whether it is one of the paths, or lies in one. There may be many thousands of both. */
function isBelow(path: string, paths: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (paths.has(at)) return true;
    if (dirname(at) === at) return false;
  }
}

/** What a link leads to, when that is below the workspace: who may change it changes what is read by the link. */
function targetIn(workspace: string, link: string): string | undefined {
  try {
    const target = fs.realpathSync(link);
    return target !== workspace && isInside(workspace, target) ? target : undefined;
  } catch {
    return undefined; // it leads nowhere
  }
}

/** Directories below the workspace down to and including `directory`. */
function between(workspace: string, directory: string): readonly string[] {
  const parents: string[] = [];
  for (let path = directory; path.length > workspace.length; path = dirname(path)) parents.unshift(path);
  return parents;
}

function identityOf(path: string): string {
  const { dev, ino } = fs.lstatSync(path);
  return `${dev}:${ino}`;
}

function kindOf(path: string): "link" | "other" | undefined {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isSymbolicLink() ? "link" : "other";
}

/** Parents first, and nothing within what is read-only or empty as a whole. */
function inOrder(mounts: ReadonlyMap<string, Mount>): readonly Mount[] {
  const sorted = [...mounts.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  let closed: string | undefined;
  return sorted.filter(({ kind, path }) => {
    if (closed !== undefined && path.startsWith(`${closed}/`)) return false;
    if (kind === "readonly" || kind === "empty") closed = path;
    return true;
  });
}
