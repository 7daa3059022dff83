/** What belongs to a home, in the order of the paths. Locks, caches, sockets and logs of the program are made anew and stay out. */
import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Entry } from "./store/snapshot.ts";

export interface Found {
  readonly entry: Entry;
  /** On this machine. */
  readonly file: string;
}

/** At the top of the home. */
const NOT_THERE =
  /^(?:lock(?:\..*)?|control|backup|margay\.log.*|gateway\.(?:json|err)|(?:import|moved|arrival)\.json)$/;
const NOT_ANYWHERE = /(?:\.cache|\.tmp)$/;
/** The search index is made of memory and journals again. */
const INDEX = /^(?:(?:rooms|spaces)\/[^/]+\/)?index$/;
const LESS_WORKSPACE = /^(?:memory|skills)(?:\/|$)|^[^/]+\.md$/;

/** @param skip A folder that is walked by itself: the workspace. */
export function* walkHome(home: string, skip: string): Generator<Found> {
  yield* walk(home, "home", "", (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return !NOT_THERE.test(path) && !NOT_ANYWHERE.test(name) && !INDEX.test(path) && join(home, path) !== skip;
  });
}

/** @param path Of an entry. */
export function isAlwaysKept(path: string): boolean {
  return LESS_WORKSPACE.test(path.slice("workspace/".length));
}

/** Memory, skills and what is read into every prompt belong to it in any case. */
export function* walkWorkspace(workspace: string, mode: "none" | "list" | "files"): Generator<Found> {
  const isKept = (path: string): boolean => mode === "files" || LESS_WORKSPACE.test(path);
  for (const found of walk(workspace, "workspace", "", (path) => mode !== "none" || isKept(path)))
    yield isKept(found.entry.path.slice("workspace/".length)) ? found : { ...found, file: "" };
}

function* walk(root: string, name: string, below: string, wanted: (path: string) => boolean): Generator<Found> {
  for (const one of readdirSync(join(root, below)).toSorted()) {
    const path = below === "" ? one : `${below}/${one}`;
    const file = join(root, path);
    const stats = wanted(path) ? lstatSync(file, { throwIfNoEntry: false }) : undefined;
    const kind = stats && kindOf(stats);
    if (stats === undefined || kind === undefined) continue;
    const times = { mode: stats.mode & 0o777, mtimeMs: stats.mtimeMs };
    const entry = { path: `${name}/${path}`, kind, ...times };
    if (kind === "link") yield { file, entry: { ...entry, bytes: 0, to: readlinkSync(file) } };
    else if (kind === "file") yield { file, entry: { ...entry, bytes: stats.size, stamp: stampOf(stats) } };
    else {
      yield { file, entry: { ...entry, bytes: 0 } };
      yield* walk(root, name, path, wanted);
    }
  }
}

function kindOf(stats: Stats): Entry["kind"] | undefined {
  return stats.isFile() ? "file" : stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : undefined;
}

function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return [size, mtimeMs, ctimeMs, ino].join("-");
}
