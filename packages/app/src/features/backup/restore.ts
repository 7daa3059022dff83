/** A snapshot as a home: made beside its place, and there as a whole or not at all. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import { isInside, makeDirectory, syncDirectory } from "@margay/core/internal";
import { readEntries, type Entry, type Snapshot } from "./store/snapshot.ts";
import type { Store } from "./store/store.ts";
import { readEntriesOrLost } from "./whole.ts";

/** @throws RuntimeError `backup.damaged` naming what is lost, `usage.wrong` for a home that is not empty; nothing is left then. */
export async function restoreSnapshot(
  store: Store,
  snapshot: Snapshot,
  { to, signal }: { readonly to: string; readonly signal: AbortSignal },
): Promise<number> {
  if (existsSync(to) && readdirSync(to).length > 0)
    throw new RuntimeError(
      "usage.wrong",
      `${to} is not empty. Name a folder that is not there yet: nothing is ever restored over a home.`,
    );
  const lost = await readEntriesOrLost(store, snapshot);
  const entries = await readEntries(store, snapshot);
  if (lost.length > 0 || entries === undefined) throw damaged(store, lost);
  const staging = `${to}.restoring-${randomBytes(4).toString("hex")}`;
  makeDirectory(dirname(to));
  mkdirSync(staging, { mode: 0o700 });
  try {
    const files = await writeAll(store, entries, { staging, snapshot, signal });
    if (existsSync(to)) rmdirSync(to);
    renameSync(staging, to);
    syncDirectory(dirname(to));
    return files;
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    throw error;
  }
}

export function damaged(store: Store, lost: readonly string[]): RuntimeError {
  const shown = lost.slice(0, 5).join(", ");
  return new RuntimeError(
    "backup.damaged",
    `${store.target.name} is damaged, and nothing was restored. Lost: ${shown}${lost.length > 5 ? ` and ${lost.length - 5} more` : ""}. \`margay backup check\` names all of it; name an older snapshot with --snapshot.`,
  );
}

interface Writing {
  readonly staging: string;
  readonly snapshot: Snapshot;
  readonly signal: AbortSignal;
}

async function writeAll(store: Store, entries: readonly Entry[], writing: Writing): Promise<number> {
  const { staging, snapshot, signal } = writing;
  let files = 0;
  for (const entry of entries) {
    signal.throwIfAborted();
    const path = placeOf(entry, staging, snapshot);
    if (entry.kind === "folder") mkdirSync(path, { recursive: true, mode: 0o700 });
    if (entry.kind !== "file" || entry.chunks === undefined) continue;
    await writeFile(store, entry, path);
    files += 1;
  }
  // Last: nothing is written through a link.
  for (const entry of entries)
    if (entry.kind === "link" && entry.to !== undefined) symlinkSync(entry.to, placeOf(entry, staging, snapshot));
  // As after a crash: the next start settles what was open at that moment.
  if (snapshot.live) await makeEmpty(join(staging, "lock"));
  return files;
}

async function makeEmpty(path: string): Promise<void> {
  await using _file = await open(path, "wx", 0o600);
}

function placeOf({ path }: Entry, staging: string, { inside }: Snapshot): string {
  const [root, ...rest] = path.split("/");
  const place = resolve(staging, ...(root === "workspace" ? [inside ?? "workspace"] : []), ...rest);
  if (isInside(staging, place)) return place;
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
