// What a program may not change in the workspace, as mounts over it and names to look after.
import fs from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "../files/paths.ts";
import { type Hidden, hideLabelled, type Labelled, type Masked, maskLabelled } from "./masks.ts";
import { identityOf, inOrder, kindOf, MAX_PLACES, type Mount } from "./mounts.ts";
import type { Survey } from "./survey.ts";

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
  /** Of what is labelled: shown where a read leaves no trace. */
  readonly untraced: readonly string[];
  /** Of what is labelled, where no read leaves a trace: what is not shown. */
  readonly hidden: readonly Hidden[];
}

/** Of so many repositories only what matters is read-only; where there are more, all of them, but for those the command names. */
const MAX_OPEN = 4;
const MAX_NAMED = 8;

const NOTHING: Masked = { masks: [], untraced: [] };

interface ProtectOptions {
  readonly inbox: boolean;
  /** Whether the program is about a directory. */
  readonly isNamed: (path: string) => boolean;
  /** Whether the program may change the configuration of open repositories: what it leaves there is looked at. */
  readonly mayConfigure: boolean;
  /** Default: none. */
  readonly labelled?: Labelled;
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
      guarded.push({ path: directory, identity: identityOf(directory) ?? "gone" });
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
  const { labelled } = options;
  const hide = labelled?.traced === false ? hideLabelled : maskLabelled;
  const {
    masks,
    untraced,
    hidden = [],
  } = labelled === undefined ? NOTHING : hide(ordered, survey, labelled, workspace);
  return { mounts: [...ordered, ...masks], guarded, open: [...open], untraced, hidden };
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
