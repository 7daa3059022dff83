// Looks through the workspace for what a program in it must not change, in the little time there is before each command.
import fs from "node:fs";
import { basename, join } from "node:path";
import { systemClock } from "../platform/clock.ts";
import { endOfTick } from "../platform/files.ts";
import { ANYWHERE_NAMES, TOP_NAMES } from "../lib/protected-names.ts";

export interface Survey {
  /** Directories of git repositories (`…/.git`, bare ones, those of submodules), outermost first. */
  readonly repositories: readonly string[];
  /** Other protected names that exist, files and directories. */
  readonly named: readonly string[];
  /** Protected names that are links: nothing can be mounted over a link. */
  readonly links: readonly string[];
  /** Sockets, on which a program outside may listen. */
  readonly sockets: readonly string[];
}

export type Surveyor = (workspace: string, visit?: (directory: string) => void) => Promise<Survey>;

/** Bounds of one look: what lies deeper is not searched. */
const MAX_DIRECTORIES = 5_000;
const MAX_DEPTH = 12;
/** Large, and of many directories that no person made: they come last, and only repositories count there. */
const VENDORED = new Set(
  "node_modules .venv venv __pycache__ target dist build .cache .tox vendor site-packages".split(" "),
);
/** A change within the same tick of the file system's clock would not show. */
const SETTLED_MS = 100;
/** Other work gets a turn in between. */
const PAUSE_AFTER = 250;

/** What is remembered of a directory, good for as long as its change time is the same: that cannot be set by hand. */
interface Known {
  readonly changedAt: number;
  readonly readAt: number;
  readonly children: readonly Child[];
  readonly found: readonly (readonly [kind: keyof Survey, name: string])[];
}

/** - `own`: searched. - `vendored`: searched last, for repositories. - `git`: within one. - `closed`: protected as a whole. */
type Region = "own" | "vendored" | "git" | "closed";

interface Child {
  readonly name: string;
  readonly region: Region;
}
interface Place {
  readonly path: string;
  readonly depth: number;
  readonly region: Region;
}

/** Remembers what it saw: an unchanged directory costs one `stat`. `visit` is called for each directory that changed. */
export function createSurveyor(): Surveyor {
  let known = new Map<string, Known>();
  return async (workspace, visit) => {
    const survey: Record<keyof Survey, string[]> = { repositories: [], named: [], links: [], sockets: [] };
    const seen = new Map<string, Known>();
    const queue: Place[] = [{ path: workspace, depth: 0, region: "own" }];
    const later: Place[] = [];
    for (let looked = 0; looked < MAX_DIRECTORIES; looked += 1) {
      const place = queue.shift() ?? later.shift();
      if (place === undefined) break;
      if (looked % PAUSE_AFTER === PAUSE_AFTER - 1) await endOfTick();
      const entry = look(place, known.get(place.path), visit);
      if (entry === undefined) continue;
      seen.set(place.path, entry);
      for (const [kind, name] of entry.found) survey[kind].push(join(place.path, name));
      if (place.depth >= MAX_DEPTH) continue;
      for (const { name, region } of entry.children) {
        if (visit === undefined && !isSearched(region, name)) continue;
        (region === "own" ? queue : later).push({ path: join(place.path, name), depth: place.depth + 1, region });
      }
    }
    known = seen;
    return survey;
  };
}

/** Where another repository may lie: those of submodules are in `modules`. */
function isSearched(region: Region, name: string): boolean {
  return region === "own" || region === "vendored" || (region === "git" && !["objects", "refs", "logs"].includes(name));
}

function look(place: Place, before: Known | undefined, visit?: (directory: string) => void): Known | undefined {
  const changedAt = fs.statSync(place.path, { throwIfNoEntry: false })?.ctimeMs;
  if (changedAt === undefined) return undefined;
  if (before?.changedAt === changedAt && before.readAt - changedAt > SETTLED_MS) return before;
  visit?.(place.path);
  return read(place, changedAt);
}

function read({ path, depth, region }: Place, changedAt: number): Known | undefined {
  const readAt = systemClock().now();
  const children: Child[] = [];
  const found: (readonly [keyof Survey, string])[] = [];
  let entries: readonly fs.Dirent[];
  try {
    entries = fs.readdirSync(path, { withFileTypes: true });
  } catch {
    return undefined; // it went, or nobody may look into it
  }
  const names = new Set(entries.map(({ name }) => name));
  const isRepository =
    region !== "closed" && (basename(path) === ".git" || GIT_DIRECTORY.every((name) => names.has(name)));
  if (isRepository) found.push(["repositories", "."]);
  for (const entry of entries) {
    const { name } = entry;
    const isProtected = region === "own" && (ANYWHERE.has(name) || (depth === 0 && TOP.has(name)));
    if (entry.isSocket()) found.push(["sockets", name]);
    else if (isProtected && entry.isSymbolicLink()) found.push(["links", name]);
    else if (isProtected && !(name === ".git" && entry.isDirectory())) found.push(["named", name]);
    if (entry.isDirectory())
      children.push({ name, region: regionOf(name, isRepository ? "git" : region, isProtected) });
  }
  return { changedAt, readAt, children, found };
}

function regionOf(name: string, region: Region, isProtected: boolean): Region {
  if (region === "closed" || (isProtected && name !== ".git")) return "closed";
  if (region === "git" || name === ".git") return "git";
  return region === "vendored" || VENDORED.has(name) ? "vendored" : "own";
}

/** What makes a directory a repository, whatever its name: those of submodules and bare ones. */
const GIT_DIRECTORY = ["HEAD", "objects", "config"] as const;
const ANYWHERE = new Set(ANYWHERE_NAMES);
const TOP = new Set(TOP_NAMES);
