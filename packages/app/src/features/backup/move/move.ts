/** A home goes to another place: a snapshot of it is restored there, then the old one is fenced. Its lock is held all the time. */
import { randomBytes } from "node:crypto";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { isInside, lockDirectory, type Millis } from "@margay/core/internal";
import type { Translate } from "../../../texts/translate.ts";
import { cutOf } from "../cut.ts";
import { makeSnapshot, type Made, type Making } from "../make.ts";
import { restoreSnapshot } from "../restore.ts";
import { openStore, type Store } from "../store/store.ts";
import { folderTarget } from "../store/target.ts";
import { arrivalOf, fence, movedOf, needAnswering, noteArrival, type Moved } from "./fence.ts";

export interface Moving {
  readonly home: string;
  readonly workspace: string;
  readonly userHome: string;
  /** What the last process left open is settled by whoever starts next. */
  readonly live: boolean;
  readonly now: Millis;
  readonly signal: AbortSignal;
  readonly progress: (files: number, bytes: number) => void;
  readonly t: Translate;
}

/**
 * The caller holds the lock of the home. A move that was interrupted after the old home was fenced is finished.
 * @returns how many files went. @throws RuntimeError `usage.wrong`, `state.moved`.
 */
export async function moveTo(to: string, moving: Moving): Promise<number> {
  const { home, t } = moving;
  const before = movedOf(home);
  if (before !== undefined && (before.kind !== "home" || before.to !== to)) needAnswering(home, t);
  const files = before === undefined ? await place(to, moving) : 0;
  const arrival = arrivalOf(to);
  if (arrival !== undefined && arrival.id === movedOf(home)?.id) noteArrival(to, { ...arrival, ready: true });
  return files;
}

async function place(to: string, moving: Moving): Promise<number> {
  const { home, workspace, userHome, signal, now, live, t } = moving;
  needAnswering(home, t);
  const other = [home, workspace].find((one) => isInside(one, to) || isInside(to, one));
  if (other !== undefined) throw new RuntimeError("usage.wrong", t("move.inside", { to, other }));
  const between = `${to}.moving`;
  using _lock = lockDirectory(between);
  try {
    clear(between);
    const left = arrivalOf(to);
    // Of a move of this home that was interrupted or taken back: it never answered. All of it goes at once.
    if (left?.from === home && !left.ready) renameSync(to, join(between, "left"));
    // A key that nobody keeps: what a killed run leaves there cannot be read.
    const store = await openStore(folderTarget(between), randomBytes(32).toString("hex"), { create: true });
    const { snapshot } = await snapshotOf(store, moving, { withTemporary: true, isWhole: isInside(home, workspace) });
    const id = randomBytes(16).toString("hex");
    const { files } = await restoreSnapshot(store, snapshot, {
      to,
      ...(!isInside(home, workspace) && { stays: workspace }),
      userHome,
      signal,
      made: (root) => noteArrival(root, { id, from: home, ready: false }),
    });
    signal.throwIfAborted();
    fence(home, { id, at: now, to, kind: "home", live });
    return files;
  } finally {
    rmSync(between, { recursive: true, force: true });
  }
}

function clear(folder: string): void {
  for (const name of readdirSync(folder))
    if (!name.startsWith("lock")) rmSync(join(folder, name), { recursive: true, force: true });
}

/** The caller holds the lock of the home. @throws RuntimeError `state.moved`. */
export async function moveToTarget(
  store: Store,
  moving: Moving,
  finish: (moved: Moved) => Promise<void>,
): Promise<Made | undefined> {
  const { home, now, live, t } = moving;
  const before = movedOf(home);
  if (before !== undefined && (before.kind !== "target" || before.to !== store.target.name)) needAnswering(home, t);
  if (before !== undefined) {
    await finish(before);
    return undefined;
  }
  needAnswering(home, t);
  const id = randomBytes(16).toString("hex");
  const made = await snapshotOf(store, moving, { move: id, isWhole: true });
  const moved: Moved = { id, at: now, to: store.target.name, kind: "target", live };
  // Between these two nobody answers, and the command says what to do: the other order could make two of them.
  fence(home, moved);
  await finish(moved);
  return made;
}

function snapshotOf(
  store: Store,
  { home, workspace, live, now, signal, progress }: Moving,
  { isWhole, ...kind }: Pick<Making, "move" | "withTemporary"> & { readonly isWhole: boolean },
): Promise<Made> {
  return makeSnapshot(store, {
    home,
    ...(isWhole && { workspace }),
    mode: "files",
    workspaceBytes: Number.POSITIVE_INFINITY,
    cut: cutOf(home),
    live,
    now,
    ...kind,
    signal,
    progress,
  });
}
