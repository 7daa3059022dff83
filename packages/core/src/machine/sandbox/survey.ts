// Looks through the workspace for what a program in it must not change, in the little time there is before each command.
import fs from "node:fs";
import { basename, relative } from "node:path";
import { listUnseen } from "../files/access-time.ts";
import { systemClock } from "../system/clock.ts";
import { endOfTick } from "../files/files.ts";
import { isInside } from "../files/paths.ts";
import { isProtected, runsByItself, type Whereabouts } from "../../lib/paths/runs-later.ts";
import { ownHome } from "./own-home.ts";

export interface Survey {
  /** Directories of git repositories (`…/.git`, bare ones, those of submodules), outermost first. */
  readonly repositories: readonly string[];
  /** Other protected names that exist, files and directories. */
  readonly named: readonly string[];
  /** Protected names that are links: nothing can be mounted over a link. */
  readonly links: readonly string[];
  /** Names that run by themselves among what nobody wrote, such as packages: they may be changed, and are looked at afterwards. */
  readonly vendored: readonly string[];
  /** Sockets, on which a program outside may listen. */
  readonly sockets: readonly string[];
  /** Whether all folders were looked into. */
  readonly complete: boolean;
}

export interface SurveyOptions {
  /** Nothing runs any more: what was not looked at again for the sake of a program is looked at now. */
  readonly last?: boolean;
  /** Called for each directory that changed. */
  readonly visit?: ((directory: string) => void) | undefined;
  /** Folders that are looked into, and how deep. */
  readonly bounds?: SurveyBounds;
}
export interface SurveyBounds {
  readonly directories: number;
  readonly depth: number;
}
export type Surveyor = (workspace: string, options?: SurveyOptions) => Promise<Survey>;

/** Of one look before a command: what lies deeper is not searched. */
const MAX_DIRECTORIES = 5_000;
const MAX_DEPTH = 12;
const BOUNDS: SurveyBounds = { directories: MAX_DIRECTORIES, depth: MAX_DEPTH };
/** After a command there is more time; it can't make more folders than that. */
export const WHOLE: SurveyBounds = { directories: 100_000, depth: 100 };
/** Large, and of many directories that no person made: they come last, and only repositories are protected there. */
const VENDORED = new Set(
  "node_modules .venv venv __pycache__ target dist build .cache .tox vendor site-packages".split(" "),
);
/** A change within the same tick of the file system's clock would not show. */
const SETTLED_MS = 100;
/** Other work gets a turn in between. */
const PAUSE_AFTER = 250;

type Kind = Exclude<keyof Survey, "complete">;

/** What is remembered of a directory, good for as long as its change time is the same: that cannot be set by hand. */
interface Known {
  readonly changedAt: number;
  /** Its access time tells whether a program reads it: our own look moved the change time, and is not repeated while one runs. */
  readonly armed: boolean;
  readonly readAt: number;
  readonly children: readonly Child[];
  readonly found: readonly (readonly [kind: Kind, name: string])[];
}

/** - `own`: searched. - `vendored`: searched last. - `git`: within a repository. - `closed`: protected as a whole. */
type Region = "own" | "vendored" | "git" | "closed";

interface Child {
  readonly name: string;
  readonly region: Region;
}
interface Top {
  readonly workspace: string;
  readonly home: string | undefined;
}
interface Place {
  readonly path: string;
  readonly depth: number;
  readonly region: Region;
}

/** Remembers what it saw: an unchanged directory costs one `stat`. */
export function createSurveyor(): Surveyor {
  const known = new Map<string, ReadonlyMap<string, Known>>();
  return async (workspace, { visit, last = false, bounds = BOUNDS } = {}) => {
    const found: Record<Kind, string[]> = { repositories: [], named: [], links: [], vendored: [], sockets: [] };
    const before = known.get(workspace);
    const seen = new Map<string, Known>();
    const queue: Place[] = [{ path: workspace, depth: 0, region: "own" }];
    const later: Place[] = [];
    const top = { workspace, home: homeIn(workspace) };
    let complete = true;
    // All of the first before any of the second, which only the second adds to from then on.
    for (let looked = 0; ; looked += 1) {
      const place = queue[looked] ?? later[looked - queue.length];
      if (place === undefined) break;
      if (looked >= bounds.directories) {
        complete = false;
        break;
      }
      if (looked % PAUSE_AFTER === PAUSE_AFTER - 1) await endOfTick();
      const entry = look(place, before?.get(place.path), top, { visit, last });
      if (entry === undefined) continue;
      seen.set(place.path, entry);
      for (const [kind, name] of entry.found) found[kind].push(name === "." ? place.path : `${place.path}/${name}`);
      if (place.depth >= bounds.depth) {
        complete &&= entry.children.length === 0;
        continue;
      }
      for (const { name, region } of entry.children) {
        if (visit === undefined && !isSearched(region, name)) continue;
        (region === "own" ? queue : later).push({ path: `${place.path}/${name}`, depth: place.depth + 1, region });
      }
    }
    known.set(workspace, seen);
    return { ...found, complete };
  };
}

/** Where the home directory of the person lies in the workspace. */
export function homeIn(workspace: string): string | undefined {
  const home = ownHome();
  return isInside(workspace, home) ? relative(workspace, home) : undefined;
}

/** Where another repository may lie: those of submodules are in `modules`. */
function isSearched(region: Region, name: string): boolean {
  return region === "own" || region === "vendored" || (region === "git" && !["objects", "refs", "logs"].includes(name));
}

function look(
  place: Place,
  before: Known | undefined,
  top: Top,
  { visit, last }: Pick<SurveyOptions, "visit" | "last">,
): Known | undefined {
  const stats = fs.statSync(place.path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (
    before?.changedAt === stats.ctimeMs &&
    (before.armed ? last !== true : before.readAt - stats.ctimeMs > SETTLED_MS)
  )
    return before;
  visit?.(place.path);
  return read(place, stats, { folder: relative(top.workspace, place.path), home: top.home });
}

function read({ path, region }: Place, { ctimeMs, mtimeMs }: fs.Stats, at: Whereabouts): Known | undefined {
  const readAt = systemClock().now();
  const children: Child[] = [];
  const found: (readonly [Kind, string])[] = [];
  let listed: ReturnType<typeof listUnseen>;
  try {
    listed = listUnseen(path);
  } catch {
    return undefined; // it went, or nobody may look into it
  }
  const { entries } = listed;
  const after = listed.armed ? fs.statSync(path, { throwIfNoEntry: false }) : undefined;
  // Nothing was made or removed there a moment ago: what moved the change time was our setting the access time back.
  const armed = after !== undefined && after.mtimeMs === mtimeMs && readAt - mtimeMs > SETTLED_MS;
  const changedAt = armed ? after.ctimeMs : ctimeMs;
  const names = new Set(entries.map(({ name }) => name));
  const isRepository =
    region !== "closed" &&
    (basename(path) === ".git" ||
      GIT_DIRECTORY.every((name) => names.has(name)) ||
      LED_ELSEWHERE.every((name) => names.has(name)));
  if (isRepository) found.push(["repositories", "."]);
  for (const entry of entries) {
    const { name } = entry;
    const isSteered = isSteering(name, region, at);
    if (entry.isSocket()) found.push(["sockets", name]);
    else if (isSteered && !(name === ".git" && entry.isDirectory()))
      found.push([region === "vendored" ? "vendored" : entry.isSymbolicLink() ? "links" : "named", name]);
    if (entry.isDirectory()) children.push({ name, region: regionOf(name, isRepository ? "git" : region, isSteered) });
  }
  return { changedAt, armed, readAt, children, found };
}

/** Whether programs or the agent obey it. What nobody wrote may be written anew, but for what runs by itself. */
function isSteering(name: string, region: Region, at: Whereabouts): boolean {
  if (region === "git" || region === "closed") return false;
  if (name === ".git" || runsByItself(name, at)) return true;
  return region === "own" && isProtected([name]);
}

function regionOf(name: string, region: Region, isSteered: boolean): Region {
  if (region === "closed" || (isSteered && name !== ".git")) return "closed";
  if (region === "git" || name === ".git") return "git";
  return region === "vendored" || VENDORED.has(name) ? "vendored" : "own";
}

/** What makes a directory a repository, whatever its name: those of submodules and bare ones. */
const GIT_DIRECTORY = ["HEAD", "objects", "config"] as const;
/** Or one whose configuration lies elsewhere: that of a worktree, or a trap. */
const LED_ELSEWHERE = ["HEAD", "commondir"] as const;
