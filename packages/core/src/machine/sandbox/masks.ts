// What a confined program does not see of files that hold strangers' texts: where a read leaves no trace, those it does not name.
import fs from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "../files/paths.ts";
import { identityOf, inOrder, isBelow, kindOf, MAX_PLACES, type Mount } from "./mounts.ts";
import type { Survey } from "./survey.ts";

/** What holds strangers' texts. Where a read leaves no trace, what the program does not name is not shown to it. */
export interface LabelledPaths {
  /** Files and whole trees of the workspace, absolute. */
  readonly paths: readonly string[];
  /** The file system keeps access times: a read leaves no trace only below what is read-only. */
  readonly traced: boolean;
}

/** A file or directory in whose place a program saw nothing, as long as it is still the same one. */
export interface Hidden {
  /** Absolute. */
  readonly path: string;
  /** `dev:ino`. */
  readonly identity: string;
}

export type Labelled = LabelledPaths & {
  /** Whether the program is about one. */
  readonly isMentioned: (path: string) => boolean;
};

/** What hides some of it. */
export interface Masked {
  readonly masks: readonly Mount[];
  readonly untraced: readonly string[];
  readonly hidden?: readonly Hidden[];
}

/**
 * Where no read leaves a trace at all: instead of a stranger's file or tree that is not named, nothing. Of what lies in
 * repositories, of links and of files that may have another name nothing is hidden: who reads it cannot be known.
 */
export function hideLabelled(
  mounts: readonly Mount[],
  { repositories }: Survey,
  labelled: Labelled,
  workspace: string,
): Masked {
  const inside = new Set(repositories);
  const here = labelled.paths.filter((path) => !isBelow(path, inside) && isOnlyName(path));
  const untraced = here.filter(labelled.isMentioned);
  const shown = new Set(untraced);
  const unnamed = here.filter((path) => !shown.has(path));
  const folded = foldFolders(unnamed, MAX_PLACES, workspace);
  if (folded === undefined) return { masks: [], untraced };
  const empty = new Set(mounts.filter(({ kind }) => kind === "empty").map(({ path }) => path));
  const masks = maskEach(folded.filter((path) => !isBelow(path, empty)));
  const hidden = folded.flatMap((path) => {
    const identity = identityOf(path);
    return identity === undefined ? [] : [{ path, identity }];
  });
  return { masks: inOrder(new Map(masks.map((mount) => [mount.path, mount]))), untraced, hidden };
}

/** A directory, or a file that is found under no other name. */
function isOnlyName(path: string): boolean {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true || (stats?.isFile() === true && stats.nlink === 1);
}

/** What another command has just removed needs no mask. */
function maskEach(paths: readonly string[]): readonly Mount[] {
  return paths.flatMap((path) => {
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ kind: stats.isDirectory() ? "empty" : "nothing", path }];
  });
}

/**
 * Instead of a stranger's file that is not named: nothing, since no access time moves below a read-only mount. Repositories are
 * left as they are, git would take them for damaged: what comes out of them is known again by its text.
 */
export function maskLabelled(mounts: readonly Mount[], { repositories }: Survey, labelled: Labelled): Masked {
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
  if (masked.length <= MAX_PLACES) return { masks: maskEach(masked), untraced };
  // Too many for a mount each: all that is read-only and holds one.
  const folders = readonly.filter((path) => masked.some((file) => isInside(path, file)));
  return { masks: folders.map((path) => ({ kind: "empty", path })), untraced: [] };
}

/**
 * Too many for a mount each: whole folders that hold nothing else, the largest first, but never the workspace itself.
 * @returns at most `max` places; undefined: there are more.
 */
function foldFolders(paths: readonly string[], max: number, workspace: string): readonly string[] | undefined {
  if (paths.length <= max) return paths;
  const hidden = new Set(paths);
  const folders = [...Map.groupBy(paths, (path) => dirname(path))].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  for (const [folder, inside] of folders) {
    if (hidden.size <= max || inside.length === 1) break;
    if (folder === workspace || !holdsOnly(folder, hidden)) continue;
    for (const path of inside) hidden.delete(path);
    hidden.add(folder);
  }
  return hidden.size <= max ? [...hidden] : undefined;
}

function holdsOnly(folder: string, hidden: ReadonlySet<string>): boolean {
  try {
    return fs.readdirSync(folder).every((name) => hidden.has(join(folder, name)));
  } catch {
    return false; // nobody may look into it
  }
}
