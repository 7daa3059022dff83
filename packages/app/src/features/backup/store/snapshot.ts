/** A snapshot and its list of files, as they lie in the store. */
import { chunksOf, LIST_CHUNKS } from "./chunker.ts";
import type { Store } from "./store.ts";

/** Size, times and number of a file: the same, and it is not read again. */
export interface Entry {
  /** With `/`, below `home` or `workspace`. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly mode: number;
  readonly mtimeMs: number;
  readonly bytes: number;
  readonly stamp?: string;
  /** SHA-256 of the content. */
  readonly hash?: string;
  /** Absent for a file that is only named. */
  readonly chunks?: readonly string[];
  /** Of a link. */
  readonly to?: string;
}

export interface Snapshot {
  readonly version: 1;
  readonly at: number;
  readonly host: string;
  readonly home: string;
  /** Where the workspace lay below the home; absent: elsewhere. */
  readonly inside?: string;
  readonly workspace: "none" | "list" | "files";
  /** A process worked on the home, or had died there: the next start settles what was open, as after a crash. */
  readonly live: boolean;
  /** Of a move, and which: it becomes a home once. */
  readonly move?: string;
  readonly audit?: { readonly n: number; readonly hash: string };
  readonly files: number;
  readonly bytes: number;
  /** Bytes that this run added, without the snapshot itself. */
  readonly added: number;
  /** The list of files. */
  readonly list: readonly string[];
}

export interface Taken {
  readonly name: string;
  readonly snapshot: Snapshot;
}

/** The newest first; what cannot be read is in the flaws of the store. */
export async function snapshotsOf(store: Store): Promise<readonly Taken[]> {
  const taken: Taken[] = [];
  for (const { name } of await store.target.list("snapshots")) {
    const bytes = await store.readSnapshot(name);
    if (bytes !== undefined)
      taken.push({ name, snapshot: JSON.parse(Buffer.from(bytes).toString("utf8")) as Snapshot }); // sealed by us
  }
  return taken.toSorted((a, b) => b.snapshot.at - a.snapshot.at);
}

export async function writeEntries(store: Store, entries: readonly Entry[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const chunk of chunksOf(linesOf(entries), store.keys.cutting, LIST_CHUNKS))
    ids.push(await store.put(chunk));
  return ids;
}

// oxlint-disable-next-line require-await -- a stream is asynchronous, a list is not
async function* linesOf(entries: readonly Entry[]): AsyncGenerator<Uint8Array> {
  for (const entry of entries) yield Buffer.from(`${JSON.stringify(entry)}\n`);
}

/** @returns undefined when a part of the list is lost. */
export async function readEntries(store: Store, { list }: Snapshot): Promise<readonly Entry[] | undefined> {
  const parts: Uint8Array[] = [];
  for (const id of list) {
    const part = await store.get(id);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Entry); // written above
}
