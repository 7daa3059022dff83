/** Everything in the workspace, with the content of what is new or changed since the last look. No link is followed. */
import { type BigIntStats, lstatSync, opendirSync, readlinkSync, realpathSync } from "node:fs";
import { identity, isStillAt, type OpenDirectory, openChild, openDirectory } from "../machine/files/open-directory.ts";
import { openFile } from "../machine/files/open-file.ts";
import { errorCode } from "../machine/files/refusal.ts";
import { fileHash } from "../machine/system/hash.ts";
import type { ContentStore } from "./content-store.ts";
import { withParent } from "../machine/files/with-parent.ts";
import { type FileState, type Lost, modeOf, stampOf } from "./file-state.ts";
import type { Slices } from "./slices.ts";

/** What was found at a path. */
export interface Seen {
  readonly state: FileState;
  readonly stamp: string;
  /** The content is in the store. */
  readonly kept: boolean;
  /** It changed so shortly before it was read that a later change may carry the same times. */
  readonly racy?: true;
}
export type Index = ReadonlyMap<string, Seen>;

export interface ScanOptions {
  readonly root: string;
  /** `dev:ino` of what is never opened. */
  readonly forbidden: ReadonlySet<string>;
  readonly previous: Index;
  readonly store: ContentStore;
  /** Whether contents are copied, or only compared. */
  readonly keep: boolean;
  /** Makes room for so many bytes. False: there is none. */
  readonly room: (bytes: number) => Promise<boolean>;
  readonly maxFileBytes: number;
  readonly maxEntries: number;
  /** Names of directories that are not looked into. */
  readonly exclude: ReadonlySet<string>;
  /** Changed since then, in nanoseconds: racy. */
  readonly since: bigint;
  readonly slices: Slices;
}
export interface Scan {
  readonly index: Map<string, Seen>;
  readonly excluded: readonly string[];
  /** Names that are not UTF-8. */
  readonly unnamed: readonly string[];
  /** Directories that may not be looked into. */
  readonly unread: readonly string[];
}

/** A name of a file that has several. */
interface Linked {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** A walk over the workspace, and what it met so far. */
interface Walk extends ScanOptions {
  readonly index: Map<string, Seen>;
  readonly excluded: string[];
  readonly unnamed: string[];
  readonly unread: string[];
  readonly linked: Linked[];
  tooMany: boolean;
}

/** @returns undefined when there are more entries than `maxEntries`. @throws `signal.reason` of the slices. */
export async function scan(options: ScanOptions): Promise<Scan | undefined> {
  const root = realpathSync.native(options.root);
  const walk: Walk = {
    ...options,
    index: new Map(),
    excluded: [],
    unnamed: [],
    unread: [],
    linked: [],
    tooMany: false,
  };
  const top = openDirectory(root);
  try {
    await visit(walk, top, "");
  } finally {
    top.close();
  }
  if (walk.tooMany) return undefined;
  await readLinked(walk, root);
  const { index, excluded, unnamed, unread } = walk;
  return { index, excluded: excluded.toSorted(), unnamed, unread };
}

async function visit(walk: Walk, directory: OpenDirectory, prefix: string): Promise<void> {
  const entries = opendirSync(directory.at("."), { bufferSize: 256 });
  try {
    directory.verify();
    for (;;) {
      const wait = walk.slices.pause();
      if (wait !== undefined) await wait;
      const entry = entries.readSync();
      if (entry === null || walk.tooMany) return;
      const path = prefix + entry.name;
      const stats = lstatSync(directory.at(entry.name), { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) {
        if (entry.name.includes("\uFFFD")) walk.unnamed.push(path);
        continue;
      }
      if (walk.forbidden.has(identity(stats))) continue;
      if (walk.index.size >= walk.maxEntries) {
        walk.tooMany = true;
        return;
      }
      await take(walk, directory, entry.name, path, stats);
    }
  } finally {
    entries.closeSync();
  }
}

async function take(
  walk: Walk,
  directory: OpenDirectory,
  name: string,
  path: string,
  stats: BigIntStats,
): Promise<void> {
  const { index, linked, excluded, unread, previous } = walk;
  const stamp = stampOf(stats);
  const add = (state: FileState): void => void index.set(path, { state, stamp, kept: true });
  if (stats.isSymbolicLink()) return add({ kind: "link", target: readlinkSync(directory.at(name)) });
  if (stats.isFile() && stats.nlink > 1n) return void linked.push({ path, stats });
  if (stats.isFile()) return void index.set(path, await readSeen(walk, directory, name, stats, previous.get(path)));
  if (!stats.isDirectory()) return add({ kind: "special" });
  const known = { kind: "directory", mode: modeOf(stats) } as const;
  if (walk.exclude.has(name) || path === OWN_TEMPORARY) {
    if (path !== OWN_TEMPORARY) excluded.push(path);
    return add({ ...known, lost: "excluded" });
  }
  try {
    const child = openChild(directory, name);
    try {
      add(known);
      await visit(walk, child, `${path}/`);
    } finally {
      child.close();
    }
  } catch (error) {
    if (!NOT_OURS.includes(errorCode(error) ?? "")) throw error;
    unread.push(path);
    add({ ...known, lost: "unreadable" });
  }
}

/** A file with more names than were met has one outside: its content is not ours to copy. */
async function readLinked(walk: Walk, root: string): Promise<void> {
  const { linked, index, previous } = walk;
  const met = Map.groupBy(linked, ({ stats }) => sighting(stats));
  const inside = new Map<string, boolean>();
  for (const [file, names] of met) inside.set(file, await areAllNames(root, names));
  for (const { path, stats } of linked) {
    const outside = inside.get(sighting(stats)) === true ? undefined : "linked";
    await withParent(root, path, async ({ directory, name }) => {
      index.set(path, await readSeen(walk, directory, name, stats, previous.get(path), outside));
    }).catch((error: unknown) => {
      if (!NOT_OURS.includes(errorCode(error) ?? "")) throw error; // gone meanwhile
    });
  }
}

async function readSeen(
  { keep, maxFileBytes, since, store, room }: ScanOptions,
  directory: OpenDirectory,
  name: string,
  found: BigIntStats,
  previous: Seen | undefined,
  outside?: "linked",
): Promise<Seen> {
  if (previous?.stamp === stampOf(found) && isSettled(previous, keep)) return previous;
  const fact = (stats: BigIntStats, lost?: Lost, sha256?: string): Seen => ({
    state: {
      kind: "file",
      size: Number(stats.size),
      mode: modeOf(stats),
      stamp: stampOf(stats),
      ...(sha256 !== undefined && { sha256 }),
      ...(lost !== undefined && { lost }),
    },
    stamp: stampOf(stats),
    kept: lost === undefined && keep,
    ...(stats.ctimeNs >= since && { racy: true as const }),
  });
  if (found.size > BigInt(maxFileBytes)) return fact(found, "large");
  try {
    using file = openFile(directory.at(name));
    directory.verify({ name, identity: identity(file.stats) });
    const { stats } = file;
    // Exchanged, or given another name, since it was looked at.
    if (identity(stats) !== identity(found) || stats.nlink !== found.nlink || !isStillAt(directory.at(name), stats))
      return fact(found, "unreadable");
    // Its names were counted as they were then.
    if (found.nlink > 1n && stats.ctimeNs !== found.ctimeNs) return fact(found, "unreadable");
    if (stats.size > BigInt(maxFileBytes)) return fact(found, "large");
    if (outside !== undefined) return fact(stats, outside, (await fileHash(file)).hash);
    if (keep && !(await room(Number(stats.size)))) return fact(stats, "full", (await fileHash(file)).hash);
    const hash = keep ? await store.keep(file, file.path) : await store.hash(file);
    return fact(stats, undefined, hash);
  } catch (error) {
    if (!NOT_OURS.includes(errorCode(error) ?? "")) throw error;
    return fact(found, "unreadable");
  }
}

/**
 * As many as the file has, and there at once: one that was renamed in the midst of the walk was met under both its names,
 * and has its new time before it has lost the old name.
 */
async function areAllNames(root: string, names: readonly Linked[]): Promise<boolean> {
  if (names.some(({ stats }) => BigInt(names.length) < stats.nlink)) return false;
  for (const { path, stats } of names) {
    const look = withParent(root, path, ({ directory, name }) => isStillAt(directory.at(name), stats));
    if (!(await look.catch(() => false))) return false;
  }
  return true;
}

/** A name that was moved between two looks is not counted twice: the move changed the time. */
function sighting(stats: BigIntStats): string {
  return `${identity(stats)}:${stats.ctimeNs}`;
}

/** Where unfinished writes of the file tools lie. */
const OWN_TEMPORARY = ".margay/tmp";
/** It may not be read, or became something else since it was looked at. */
const NOT_OURS = ["EACCES", "EPERM", "ENOENT", "ENOTDIR", "ELOOP"];

function isSettled({ state, kept, racy }: Seen, keep: boolean): boolean {
  if (racy === true) return false;
  const lost = state.kind === "file" ? state.lost : undefined;
  return !keep || kept || (lost !== undefined && lost !== "full");
}
