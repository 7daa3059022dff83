/** A snapshot as a home: made beside its place, and there as a whole or not at all. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import { isInside, makeDirectory, openOwnDocs } from "@margay/core/internal";
import { CONFIG_DOC, readConfigFile } from "../../config/load.ts";
import { pathIn } from "../../config/paths.ts";
import { changedText } from "../../config/save.ts";
import { translator } from "../../texts/translate.ts";
import { openStaging } from "./staging.ts";
import { readEntries, type Entry, type Snapshot } from "./store/snapshot.ts";
import type { Store } from "./store/store.ts";
import { readEntriesOrLost } from "./whole.ts";

export interface Restoring {
  /** The home. */
  readonly to: string;
  /** Default: inside of the home. */
  readonly workspace?: string;
  /** A workspace that is no part of the snapshot, since it stays where it is. */
  readonly stays?: string;
  /** Told when all of it is made, before it is in its place. */
  readonly made?: (home: string) => void;
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
  const { to, stays, workspace = stays ?? join(to, snapshot.inside ?? "workspace"), signal } = restoring;
  const outside = isInside(to, workspace) || stays !== undefined ? undefined : workspace;
  needEmpty(to);
  const id = createHash("sha256")
    .update(JSON.stringify([snapshot, workspace]))
    .digest("hex");
  using staging = openStaging(to, outside, id);
  if (staging.finished !== undefined) return { files: staging.finished, ...(outside && { moved: outside }) };
  if (outside !== undefined) needEmpty(outside);
  const lost = await readEntriesOrLost(store, snapshot);
  const entries = await readEntries(store, snapshot);
  if (lost.length > 0 || entries === undefined) throw damaged(store, lost);
  const { home } = staging;
  const roots = { home, workspace: staging.workspace ?? join(home, relative(to, workspace)) };
  const files = await writeAll(store, entries, { roots, live: snapshot.live, signal });
  const moved = await nameWorkspace(home, restoring, workspace);
  restoring.made?.(home);
  staging.place(files);
  return { files, ...(moved && { moved: workspace }) };
}

function needEmpty(place: string): void {
  if (!existsSync(place)) return;
  if (statSync(place).dev !== statSync(dirname(place)).dev)
    throw new RuntimeError(
      "usage.wrong",
      `${place} is where a disk is mounted, and cannot be replaced by a folder. Name a folder on it, as ${join(place, "margay")}.`,
    );
  if (readdirSync(place).length === 0) return;
  throw new RuntimeError(
    "usage.wrong",
    `${place} is not empty. Name a folder that is not there yet: nothing is ever restored over a home.`,
  );
}

/** The settings name the workspace that was restored, not the one of the old machine. @returns whether they were changed. */
async function nameWorkspace(staging: string, { to, userHome }: Restoring, workspace: string): Promise<boolean> {
  const [config, docs] = [join(staging, CONFIG_DOC), openOwnDocs(staging)];
  const { raw, text, hash, rev } = readConfigFile({ config, docs }, translator("en"));
  const named = typeof raw["workspace"] === "string" ? raw["workspace"] : "workspace";
  if (pathIn(to, named, userHome) === workspace) return false;
  const value = isInside(to, workspace) ? relative(to, workspace) : workspace;
  await docs.write(CONFIG_DOC, changedText(hash === undefined ? "{}" : text, raw, ["workspace"], value), rev);
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
