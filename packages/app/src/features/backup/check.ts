/** Reads every byte of a backup and says what is lost with one that was changed. */
import { isPackWhole, readEntriesOrLost } from "./whole.ts";
import { readEntries, snapshotsOf, type Taken } from "./store/snapshot.ts";
import type { Flaw, Store } from "./store/store.ts";

export interface Lost {
  readonly snapshot: string;
  readonly path: string;
}

export interface Report {
  readonly flaws: readonly Flaw[];
  readonly lost: readonly Lost[];
  readonly snapshots: number;
  readonly packs: number;
}

export async function checkStore(store: Store, signal: AbortSignal): Promise<Report> {
  for (const pack of store.packs.keys()) {
    signal.throwIfAborted();
    await isPackWhole(store, pack);
  }
  const taken = await snapshotsOf(store);
  const lost: Lost[] = [];
  for (const { name, snapshot } of taken)
    for (const path of await readEntriesOrLost(store, snapshot)) lost.push({ snapshot: name, path });
  await noteLostIndex(store, taken);
  return { flaws: store.flaws, lost, snapshots: taken.length, packs: store.packs.size };
}

/** A snapshot is written after the index of its packs: one that is in no index says that an index is missing. */
async function noteLostIndex(store: Store, taken: readonly Taken[]): Promise<void> {
  if (store.unindexed.size === 0) return;
  const needed = new Set<string>();
  for (const { snapshot } of taken) {
    const entries = (await readEntries(store, snapshot)) ?? [];
    for (const id of [...snapshot.list, ...entries.flatMap(({ chunks }) => chunks ?? [])]) {
      const pack = store.places.get(id)?.pack;
      if (pack !== undefined) needed.add(pack);
    }
  }
  for (const pack of store.unindexed.keys())
    if (needed.has(pack)) store.flaws.push({ what: "missing", path: `index of packs/${pack}` });
}
