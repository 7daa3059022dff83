/** Removes snapshots, and what no other one needs. Killed at any moment, those that stay are whole. */
import { RuntimeError } from "@margay/core";
import { readEntries, type Taken } from "./store/snapshot.ts";
import { damaged } from "./restore.ts";
import type { Content } from "./store/packs.ts";
import type { Store } from "./store/store.ts";

/** How many: the newest, and the newest of so many days, weeks and months. */
export interface Keep {
  readonly last: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

export const KEEP: Keep = { last: 3, daily: 7, weekly: 5, monthly: 12 };
const DAY_MS = 86_400_000;
/** A pack of which less than this is needed is written anew. */
const WORTH = 0.5;

/** Names of those that stay. @param taken The newest first. Days begin at midnight UTC, weeks on Monday. */
export function keptBy(taken: readonly Taken[], keep: Keep): ReadonlySet<string> {
  const kept = new Set(taken.slice(0, keep.last).map(({ name }) => name));
  const rules: readonly (readonly [number, (at: number) => string])[] = [
    [keep.daily, (at) => String(Math.floor(at / DAY_MS))],
    [keep.weekly, (at) => String(Math.floor((at / DAY_MS + 3) / 7))], // 1 January 1970 was a Thursday
    [keep.monthly, (at) => new Date(at).toISOString().slice(0, 7)],
  ];
  for (const [count, periodOf] of rules) {
    const periods = new Set<string>();
    for (const { name, snapshot } of taken) {
      const period = periodOf(snapshot.at);
      if (periods.size >= count || periods.has(period)) continue;
      periods.add(period);
      kept.add(name);
    }
  }
  return kept;
}

export interface Pruning {
  readonly all: readonly Taken[];
  readonly kept: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/**
 * @returns bytes that are free now.
 * @throws RuntimeError `backup.damaged` before anything is removed: what is needed cannot be told from what is not.
 */
export async function pruneStore(store: Store, { all, kept, signal }: Pruning): Promise<number> {
  const { target } = store;
  const stay = all.filter(({ name }) => kept.has(name));
  if (store.flaws.length > 0) throw new RuntimeError("backup.damaged", flawedText(store));
  const needed = await neededBy(store, stay);
  signal.throwIfAborted();
  await store.writeList(stay.map(({ name }) => name));
  for (const { name } of all) if (!kept.has(name)) await target.remove(`snapshots/${name}`);
  const dead = new Set<string>();
  for (const [pack, content] of store.packs) {
    const here = content.filter(([id]) => needed.has(id) && store.places.get(id)?.pack === pack);
    if (bytesOf(here) >= bytesOf(content) * WORTH) continue;
    for (const [id] of here) {
      signal.throwIfAborted();
      await store.move(id);
    }
    dead.add(pack);
  }
  return store.drop(dead);
}

function bytesOf(content: Content): number {
  return content.reduce((sum, [, bytes]) => sum + bytes, 0);
}

async function neededBy(store: Store, stay: readonly Taken[]): Promise<ReadonlySet<string>> {
  const needed = new Set<string>();
  for (const { snapshot } of stay) {
    const entries = await readEntries(store, snapshot);
    if (entries === undefined) throw damaged(store, ["*"]);
    for (const id of [...snapshot.list, ...entries.flatMap(({ chunks }) => chunks ?? [])]) needed.add(id);
  }
  return needed;
}

function flawedText({ target, flaws }: Store): string {
  const [first] = flaws;
  return `${target.name} is damaged (${first?.path ?? ""}), and nothing was removed. \`margay backup check\` names all of it; \`margay backup --repair\` writes anew what this home still has.`;
}
