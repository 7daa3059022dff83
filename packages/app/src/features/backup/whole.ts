/** Whether packs are as they were written, and which files of a snapshot are not. */
import { packName } from "./store/packs.ts";
import { readEntries, snapshotsOf, type Snapshot } from "./store/snapshot.ts";
import type { Store } from "./store/store.ts";

/** Its chunks cannot be read when it is not; noted once. */
export async function isPackWhole(store: Store, pack: string): Promise<boolean> {
  const path = `packs/${pack}`;
  const bytes = await store.target.read(path);
  const isWhole = bytes !== undefined && packName(bytes) === pack;
  if (!isWhole && !store.flaws.some((flaw) => flaw.path === path))
    store.flaws.push({ what: bytes === undefined ? "missing" : "damaged", path });
  return isWhole;
}

/** Paths whose content is not all there; `*` when not even the list of files is. */
export async function readEntriesOrLost(store: Store, snapshot: Snapshot): Promise<readonly string[]> {
  const entries = await readEntries(store, snapshot);
  if (entries === undefined) return ["*"];
  const seen = new Map<string, boolean>();
  const lost: string[] = [];
  for (const { path, chunks } of entries) {
    let isWhole = true;
    for (const id of chunks ?? []) {
      const isThere = seen.get(id) ?? (await store.get(id)) !== undefined;
      seen.set(id, isThere);
      isWhole &&= isThere;
    }
    if (!isWhole) lost.push(path);
  }
  return lost;
}

/**
 * Drops what is not as it was written, and saves what can still be read of it: the next snapshot writes anew what the home still
 * has. What is lost for older snapshots stays lost, and `check` says so.
 */
export async function repairStore(store: Store, signal: AbortSignal): Promise<void> {
  const { target } = store;
  const damaged = new Set<string>();
  for (const [pack, content] of [...store.packs]) {
    signal.throwIfAborted();
    if (await isPackWhole(store, pack)) continue;
    damaged.add(pack);
    for (const [id] of content) if (store.places.get(id)?.pack === pack) await store.move(id);
  }
  const taken = await snapshotsOf(store);
  if (store.flaws.length === 0) return;
  await store.mendKeys();
  const names = new Set(taken.map(({ name }) => name));
  await store.writeList([...names]);
  for (const { name } of await target.list("snapshots")) if (!names.has(name)) await target.remove(`snapshots/${name}`);
  await store.drop(damaged);
  store.flaws.length = 0;
}
