/** Whether packs are as they were written, and which files of a snapshot are not. */
import { packName } from "./store/packs.ts";
import { readEntries, type Snapshot } from "./store/snapshot.ts";
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
