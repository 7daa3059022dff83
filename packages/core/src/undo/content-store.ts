/**
 * Contents that were overwritten, by their hash. A name is there only with its whole content, also after a power cut:
 * temporary file, sync, rename.
 */
import fs from "node:fs";
import { copyFile, open } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { directorySynced, FILE_MODE, makeDirectory, readIfExists } from "../machine/files/files.ts";
import { fileHash, sha256 } from "../machine/system/hash.ts";
import { type OpenFile, openFile } from "../machine/files/open-file.ts";
import type { Slices } from "./slices.ts";

/** Up to here a file is read and written at once; more goes through the thread pool. */
const SMALL_BYTES = 256 * 1024;
/** Syncs that wait together share one write of the file system's own journal. */
const SYNCS_AT_ONCE = 4;

export interface ContentStore {
  /** Bytes of all contents. */
  readonly bytes: number;
  has(hash: string): boolean;
  /** Whether it is there; if so, no sweep takes it until `unpin`. */
  pin(hash: string): boolean;
  /** @param path an open descriptor's path. @returns the hash of what was kept. */
  keep(file: OpenFile, path: string): Promise<string>;
  put(data: Uint8Array): string;
  /** Without keeping it. */
  hash(file: OpenFile): Promise<string>;
  /** @returns undefined when it is gone or damaged. */
  read(hash: string): Buffer | undefined;
  /**
   * What was put or pinned survives the death of the machine, and may be named on disk from here on.
   * @throws the file system's error; what was put since the last time is forgotten.
   */
  sync(): Promise<void>;
  /** What was put or pinned since the last time is named on disk by now. */
  unpin(): void;
  /** Removes what `wanted` does not name, and what is not pinned. */
  sweep(wanted: ReadonlySet<string>, slices: Slices): Promise<void>;
}

/** What is known of the directory. */
interface StoreState {
  readonly directory: string;
  /** Of unfinished files. */
  readonly shelf: string;
  readonly sizes: Map<string, number>;
  total: number;
  /** Put, and not yet named by a line on disk: no sweep takes it. */
  readonly pinned: Set<string>;
  /** Whole, not yet synced: temporary files by the hash of their content. */
  readonly unsynced: Map<string, string>;
  /** Directories whose names this process knows to be on disk. One that it did not sync may be left of a killed process. */
  readonly settled: Set<string>;
}

/** Reads the names that are there: a directory for each two digits. */
export async function openContentStore(directory: string, slices: Slices): Promise<ContentStore> {
  const store: StoreState = {
    directory,
    shelf: join(directory, "tmp"),
    sizes: new Map(),
    total: 0,
    pinned: new Set(),
    unsynced: new Map(),
    settled: new Set(),
  };
  await readNames(store, slices);
  const { sizes, pinned, unsynced } = store;
  return {
    get bytes() {
      return store.total;
    },
    has: (hash) => sizes.has(hash),
    pin: (hash) => {
      if (sizes.has(hash)) pinned.add(hash);
      return sizes.has(hash);
    },
    put: (data) => put(store, data),
    keep: (file, path) => keep(store, file, path),
    hash: async (file) =>
      file.stats.size <= BigInt(SMALL_BYTES) ? sha256(await file.bytes()) : (await fileHash(file)).hash,
    read: (hash) => {
      const data = readIfExists(unsynced.get(hash) ?? pathOf(store, hash));
      return data === undefined || sha256(data) !== hash ? undefined : data;
    },
    sync: () => sync(store),
    unpin: () => pinned.clear(),
    sweep: (wanted, through) => sweep(store, wanted, through),
  };
}

async function readNames(store: StoreState, slices: Slices): Promise<void> {
  const { directory, shelf, sizes } = store;
  fs.rmSync(shelf, { recursive: true, force: true }); // what a crash left half-way
  makeDirectory(shelf);
  for (const prefix of fs.readdirSync(directory).filter((name) => /^[0-9a-f]{2}$/.test(name)))
    for (const name of fs.readdirSync(join(directory, prefix))) {
      const size = fs.statSync(join(directory, prefix, name)).size;
      sizes.set(prefix + name, size);
      store.total += size;
      const wait = slices.pause();
      if (wait !== undefined) await wait;
    }
}

function pathOf({ directory }: StoreState, hash: string): string {
  return join(directory, hash.slice(0, 2), hash.slice(2));
}

function temporaryIn({ shelf }: StoreState): string {
  return join(shelf, randomBytes(8).toString("hex"));
}

/** A whole temporary file is the content of this hash from now on. */
function settle(store: StoreState, from: string, hash: string, size: number): void {
  const { sizes, unsynced } = store;
  const earlier = unsynced.get(hash);
  if (earlier !== undefined) fs.rmSync(earlier, { force: true });
  unsynced.set(hash, from);
  store.total += size - (sizes.get(hash) ?? 0);
  sizes.set(hash, size);
}

function put(store: StoreState, data: Uint8Array): string {
  const hash = sha256(data);
  store.pinned.add(hash);
  if (store.sizes.get(hash) === data.length) return hash;
  const path = temporaryIn(store);
  fs.writeFileSync(path, data, { mode: FILE_MODE, flag: "wx" });
  settle(store, path, hash, data.length);
  return hash;
}

async function keep(store: StoreState, file: OpenFile, path: string): Promise<string> {
  if (file.stats.size <= BigInt(SMALL_BYTES)) return put(store, await file.bytes());
  const copy = temporaryIn(store);
  try {
    // A file system that can shares the blocks: then nothing is copied.
    await copyFile(path, copy, fs.constants.COPYFILE_FICLONE);
    fs.chmodSync(copy, FILE_MODE);
    using kept = openFile(copy);
    const { hash, size } = await fileHash(kept);
    store.pinned.add(hash);
    settle(store, copy, hash, size);
    return hash;
  } catch (error) {
    fs.rmSync(copy, { force: true });
    throw error;
  }
}

async function sync(store: StoreState): Promise<void> {
  const { directory, sizes, unsynced, settled, pinned } = store;
  try {
    const waiting = unsynced.values();
    await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, () => syncEach(waiting)));
    for (const [hash, from] of unsynced) {
      const to = pathOf(store, hash);
      makeDirectory(dirname(to));
      settled.delete(dirname(to));
      fs.renameSync(from, to);
      unsynced.delete(hash);
    }
  } catch (error) {
    // A sync that failed once may seem to succeed the next time.
    for (const [hash, from] of unsynced) {
      fs.rmSync(from, { force: true });
      store.total -= sizes.get(hash) ?? 0;
      sizes.delete(hash);
    }
    unsynced.clear();
    throw error;
  }
  const named = new Set([...pinned].map((hash) => dirname(pathOf(store, hash))).filter((one) => !settled.has(one)));
  if (named.size === 0) return;
  await Promise.all([...named, directory].map(directorySynced));
  for (const one of named) settled.add(one);
}

async function sweep(store: StoreState, wanted: ReadonlySet<string>, slices: Slices): Promise<void> {
  const { sizes, pinned } = store;
  for (const [hash, size] of sizes) {
    const wait = slices.pause();
    if (wait !== undefined) await wait;
    if (wanted.has(hash) || pinned.has(hash)) continue;
    fs.rmSync(pathOf(store, hash), { force: true });
    sizes.delete(hash);
    store.total -= size;
  }
}

async function syncEach(paths: Iterable<string>): Promise<void> {
  for (const path of paths) {
    await using handle = await open(path, "r+");
    await handle.datasync();
  }
}
