/** What the undo store forgets: the oldest turns first, then every content that nothing names. */
import fs from "node:fs";
import { join } from "node:path";
import type { Millis } from "../contract/base.ts";
import type { ContentStore } from "./content-store.ts";
import type { FileState } from "./file-state.ts";
import { readManifest, type TurnChanges } from "./manifest.ts";
import type { Index } from "./scan.ts";
import type { Slices } from "./slices.ts";

export interface Limits {
  /** `tools.undo.maxMegabytes`, in bytes. 0: nothing is kept. */
  readonly maxBytes: number;
  /** `tools.undo.keepTurns`. */
  readonly keepTurns: number;
  /** `tools.undo.keepDays`. */
  readonly keepDays: number;
}

const DAY_MS = 86_400_000;

/** Newest last; by the time of the file, which is that of its last line. */
export function turnFiles(turns: string, session?: string): readonly { readonly file: string; readonly at: Millis }[] {
  const folders = session === undefined ? names(turns) : [session];
  return folders
    .flatMap((folder) => names(join(turns, folder)).map((name) => join(turns, folder, name)))
    .filter((file) => file.endsWith(".jsonl"))
    .map((file) => ({ file, at: fs.statSync(file).mtimeMs }))
    .toSorted((a, b) => a.at - b.at);
}

export interface Pruning {
  readonly turns: string;
  readonly store: ContentStore;
  /** What is in the workspace now: the copies of the next turn. */
  readonly index: Index;
  readonly limits: Limits;
  /** Files of turns with a command that runs. */
  readonly busy: ReadonlySet<string>;
  readonly now: Millis;
  readonly slices: Slices;
}

/** The turn that was begun last stays, whatever it takes: it is at work. */
export async function prune({ turns, store, index, limits, busy, now, slices }: Pruning): Promise<void> {
  const all = turnFiles(turns);
  const oldest = now - limits.keepDays * DAY_MS;
  let left = all.filter(({ file, at }, position) => {
    const isOver = position < all.length - limits.keepTurns || at < oldest;
    if (!isOver || position === all.length - 1 || busy.has(file)) return true;
    fs.rmSync(file, { force: true });
    return false;
  });
  const current = [...index.values()].flatMap(({ state }) => hashesOf(state));
  const named = new Map<string, readonly string[]>();
  for (const { file } of left) named.set(file, namedBy(await readManifest(file, slices)));
  for (;;) {
    await store.sweep(new Set([...current, ...[...named.values()].flat()]), slices);
    const next = left.slice(0, -1).find(({ file }) => !busy.has(file));
    if (store.bytes <= limits.maxBytes || next === undefined) return;
    fs.rmSync(next.file, { force: true });
    named.delete(next.file);
    left = left.filter((one) => one !== next);
  }
}

function hashesOf(state: FileState): readonly string[] {
  return state.kind === "file" && state.sha256 !== undefined ? [state.sha256] : [];
}

function namedBy(changes: TurnChanges | undefined): readonly string[] {
  return (changes?.changes ?? []).flatMap(({ before, left: [after] }) => [...hashesOf(before), ...hashesOf(after)]);
}

function names(directory: string): readonly string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return []; // none yet
  }
}
