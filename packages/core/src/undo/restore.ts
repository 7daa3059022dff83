/** Puts entries of the workspace back: each at once or not at all, through directories held open, so no link leads outside. */
import { lstatSync, mkdirSync, realpathSync, renameSync, rmdirSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { messageOf } from "../lib/errors/errors.ts";
import { errorCode, refusalOf } from "../machine/files/refusal.ts";
import { replaceEntry } from "../machine/files/safe-replace.ts";
import { WalkRefused } from "../machine/files/safe-walk.ts";
import type { ContentStore } from "./content-store.ts";
import { type Parent, withParent } from "../machine/files/with-parent.ts";
import { changeMode, stateAt } from "./entry.ts";
import { type FileState, sameContent, sameState } from "./file-state.ts";
import type { UndoItem } from "./plan.ts";
import type { Slices } from "./slices.ts";

export interface Restored {
  readonly path: string;
  readonly action: UndoItem["action"];
  /** Absent: done. */
  readonly failed?: string;
}

/** Entries may be given in any order. Done again after a crash, it goes on where it stopped. */
export async function restoreAll(
  root: string,
  items: readonly UndoItem[],
  store: ContentStore,
  maxBytes: number,
  slices: Slices,
): Promise<readonly Restored[]> {
  const failed = new Map<string, string>();
  const attempt = async ({ path }: UndoItem, work: () => Promise<void>): Promise<void> => {
    const wait = slices.pause();
    if (wait !== undefined) await wait;
    if (failed.has(path)) return;
    try {
      await work();
    } catch (error) {
      failed.set(path, reasonOf(error));
    }
  };
  const down = items.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const up = down.toReversed();
  // Directories that are closed to us first: what lies in them is restored too.
  for (const item of down)
    if (item.want.kind === "directory" && item.action === "mode")
      await attempt(item, () => withParent(root, item.path, (parent) => changeMode(parent, 0o700)));
  for (const item of up) await attempt(item, () => clear(root, item, maxBytes));
  const [directories, others] = [true, false].map((is) => down.filter((one) => (one.want.kind === "directory") === is));
  for (const item of directories ?? []) await attempt(item, () => put(root, item, store, maxBytes));
  // Each is synced: together they wait for the disk once.
  const rest = (others ?? []).values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await attempt(item, () => put(root, item, store, maxBytes));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  for (const item of up) {
    const { want } = item;
    if (want.kind === "directory" && want.mode !== undefined)
      await attempt(item, () => withParent(root, item.path, (parent) => changeMode(parent, want.mode ?? 0o700)));
  }
  return down.map(({ path, action }) => {
    const reason = failed.get(path);
    return { path, action, ...(reason !== undefined && { failed: reason }) };
  });
}

const AT_ONCE = 16;

/** Removes what is of another kind than what is to stand there. */
async function clear(root: string, { path, want }: UndoItem, maxBytes: number): Promise<void> {
  const now = await stateAt(root, path, maxBytes);
  if (now.kind === "absent" || now.kind === want.kind) return;
  await withParent(root, path, ({ directory, name }) => {
    if (now.kind === "directory") rmdirSync(directory.at(name));
    else unlinkSync(directory.at(name));
  });
}

async function put(root: string, { path, want }: UndoItem, store: ContentStore, maxBytes: number): Promise<void> {
  if (want.kind === "absent" || want.kind === "special") return;
  const now = await stateAt(root, path, maxBytes);
  if (sameState(now, want)) return;
  await withParent(root, path, (parent) => make(realpathSync.native(root), parent, want, now, store), { create: true });
}

async function make(root: string, parent: Parent, want: FileState, now: FileState, store: ContentStore): Promise<void> {
  const { directory, name } = parent;
  switch (want.kind) {
    case "directory":
      if (now.kind === "absent") mkdirSync(directory.at(name), { mode: 0o700 });
      return;
    case "link":
      return replaceLink(parent, want.target);
    case "file": {
      if (now.kind === "file" && sameContent(now, want) && want.mode !== undefined)
        return changeMode(parent, want.mode);
      const data = want.sha256 === undefined ? undefined : store.read(want.sha256);
      if (data === undefined) throw new Error("its copy is damaged");
      const found = lstatSync(directory.at(name), { bigint: true, throwIfNoEntry: false });
      await replaceEntry({ directory, name, found }, data, {
        root,
        ...(want.mode !== undefined && { mode: want.mode }),
      });
      return;
    }
    case "absent":
    case "special":
  }
}

function replaceLink({ directory, name }: Parent, target: string): void {
  const temporary = directory.at(`.${randomBytes(8).toString("hex")}.tmp`);
  symlinkSync(target, temporary);
  try {
    renameSync(temporary, directory.at(name));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function reasonOf(error: unknown): string {
  if (errorCode(error) === "ENOTEMPTY" || errorCode(error) === "EEXIST") return "not-empty";
  return error instanceof WalkRefused ? error.why : (refusalOf(error) ?? messageOf(error));
}
