/** A snapshot as a home: made beside its place, and there as a whole or not at all. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import { isInside, makeDirectory, replaceFile, syncDirectory } from "@margay/core/internal";
import { readConfigFile } from "../../config/load.ts";
import { pathIn } from "../../config/paths.ts";
import { changedText } from "../../config/save.ts";
import { translator } from "../../texts/translate.ts";
import { readEntries, type Entry, type Snapshot } from "./store/snapshot.ts";
import type { Store } from "./store/store.ts";
import { readEntriesOrLost } from "./whole.ts";

export interface Restoring {
  /** The home. */
  readonly to: string;
  /** Default: inside of the home. */
  readonly workspace?: string;
  readonly userHome: string;
  readonly signal: AbortSignal;
}

export interface Restored {
  readonly files: number;
  /** The workspace, where it is not where the settings said; they name it now. */
  readonly moved?: string;
}

/** @throws RuntimeError `backup.damaged` naming what is lost, `usage.wrong` for a place that is not empty; nothing is left then. */
export async function restoreSnapshot(store: Store, snapshot: Snapshot, restoring: Restoring): Promise<Restored> {
  const { to, workspace = join(to, snapshot.inside ?? "workspace"), signal } = restoring;
  const outside = isInside(to, workspace) ? undefined : workspace;
  for (const place of outside === undefined ? [to] : [to, outside]) needEmpty(place);
  const lost = await readEntriesOrLost(store, snapshot);
  const entries = await readEntries(store, snapshot);
  if (lost.length > 0 || entries === undefined) throw damaged(store, lost);
  const mark = `restoring-${randomBytes(4).toString("hex")}`;
  const roots = {
    home: `${to}.${mark}`,
    workspace: outside === undefined ? join(`${to}.${mark}`, relative(to, workspace)) : `${outside}.${mark}`,
  };
  const staged =
    outside === undefined
      ? [[roots.home, to]]
      : [
          [roots.workspace, outside],
          [roots.home, to],
        ];
  try {
    for (const [root = ""] of staged) {
      makeDirectory(dirname(root));
      mkdirSync(root, { mode: 0o700 });
    }
    const files = await writeAll(store, entries, { roots, live: snapshot.live, signal });
    const moved = nameWorkspace(roots.home, restoring, workspace);
    for (const [root = "", place = ""] of staged) {
      if (existsSync(place)) rmdirSync(place);
      renameSync(root, place);
      syncDirectory(dirname(place));
    }
    return { files, ...(moved && { moved: workspace }) };
  } catch (error) {
    for (const [root = ""] of staged) rmSync(root, { recursive: true, force: true });
    throw error;
  }
}

function needEmpty(place: string): void {
  if (!existsSync(place) || readdirSync(place).length === 0) return;
  throw new RuntimeError(
    "usage.wrong",
    `${place} is not empty. Name a folder that is not there yet: nothing is ever restored over a home.`,
  );
}

/** The settings name the workspace that was restored, not the one of the old machine. @returns whether they were changed. */
function nameWorkspace(staging: string, { to, userHome }: Restoring, workspace: string): boolean {
  const path = join(staging, "config.json");
  const { raw, text, hash } = readConfigFile(path, translator("en"));
  const named = typeof raw["workspace"] === "string" ? raw["workspace"] : "workspace";
  if (pathIn(to, named, userHome) === workspace) return false;
  const value = isInside(to, workspace) ? relative(to, workspace) : workspace;
  replaceFile(path, changedText(hash === undefined ? "{}" : text, raw, ["workspace"], value));
  return true;
}

export function damaged(store: Store, lost: readonly string[]): RuntimeError {
  const shown = lost.slice(0, 5).join(", ");
  return new RuntimeError(
    "backup.damaged",
    `${store.target.name} is damaged, and nothing was restored. Lost: ${shown}${lost.length > 5 ? ` and ${lost.length - 5} more` : ""}. \`margay backup check\` names all of it; name an older snapshot with --snapshot.`,
  );
}

interface Writing {
  readonly roots: Readonly<Record<"home" | "workspace", string>>;
  readonly live: boolean;
  readonly signal: AbortSignal;
}

async function writeAll(store: Store, entries: readonly Entry[], { roots, live, signal }: Writing): Promise<number> {
  let files = 0;
  for (const entry of entries) {
    signal.throwIfAborted();
    const path = placeOf(entry, roots);
    if (entry.kind === "folder") mkdirSync(path, { recursive: true, mode: 0o700 });
    if (entry.kind !== "file" || entry.chunks === undefined) continue;
    await writeFile(store, entry, path);
    files += 1;
  }
  // Last: nothing is written through a link.
  for (const entry of entries)
    if (entry.kind === "link" && entry.to !== undefined) symlinkSync(entry.to, placeOf(entry, roots));
  // As after a crash: the next start settles what was open at that moment.
  if (live) await makeEmpty(join(roots.home, "lock"));
  return files;
}

async function makeEmpty(path: string): Promise<void> {
  await using _file = await open(path, "wx", 0o600);
}

function placeOf({ path }: Entry, roots: Writing["roots"]): string {
  const [name, ...rest] = path.split("/");
  const root = name === "workspace" ? roots.workspace : roots.home;
  const place = resolve(root, ...rest);
  if (isInside(root, place)) return place;
  throw new RuntimeError(
    "backup.damaged",
    `The backup names ${path}, which lies outside of a home. Nothing was restored.`,
  );
}

async function writeFile(store: Store, { path, chunks, mode, mtimeMs, hash }: Entry, to: string): Promise<void> {
  makeDirectory(dirname(to));
  const all = createHash("sha256");
  {
    await using file = await open(to, "wx", mode);
    for (const id of chunks ?? []) {
      const bytes = await store.get(id);
      if (bytes === undefined) throw damaged(store, [path]);
      all.update(bytes);
      for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
    }
    await file.sync();
  }
  if (all.digest("hex") !== hash) throw damaged(store, [path]);
  utimesSync(to, new Date(), new Date(mtimeMs));
}
