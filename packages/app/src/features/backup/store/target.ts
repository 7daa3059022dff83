/** Where a backup lies: names and bytes. Nothing here knows a key. */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { lockDirectory, makeDirectory, readIfExists, replaceFile } from "@margay/core/internal";

/** @throws the file system's error from every method; of a server or a program `backup.missing` with what it said. */
export interface BackupTarget {
  /** As the person named it. */
  readonly name: string;
  /** Names below `folder`, sorted, with their bytes; none when it is not there. */
  list(folder: Folder): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  read(path: string): Promise<Uint8Array | undefined>;
  /** All of it or nothing, on the disk when it resolves. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
  /** On this machine. */
  readonly folder?: string;
  /** Against others that write there, where that can be known. @throws RuntimeError `state.locked`. */
  lock(): Promise<AsyncDisposable>;
  /** What a killed run left half written. The caller holds the lock. */
  removeUnfinished(): Promise<void>;
  /** Gives back the space of what was removed, where that is not done at once. */
  tidy?(): Promise<void>;
}

export type Folder = "packs" | "index" | "snapshots";
export const FOLDERS: readonly Folder[] = ["packs", "index", "snapshots"];
/** Of what has its name when all of it is there. */
export const NAME = /^[0-9a-f]{64}$/;

/* oxlint-disable require-await -- the contract is asynchronous: another target is a server */
export function folderTarget(path: string): BackupTarget {
  return {
    name: path,
    list: async (folder) => {
      const place = join(path, folder);
      return (existsSync(place) ? readdirSync(place) : [])
        .filter((name) => NAME.test(name))
        .toSorted()
        .map((name) => ({ name, bytes: statSync(join(place, name)).size }));
    },
    read: async (name) => readIfExists(join(path, name)),
    write: async (name, bytes) => {
      makeDirectory(dirname(join(path, name)));
      replaceFile(join(path, name), bytes);
    },
    remove: async (name) => rmSync(join(path, name), { force: true }),
    folder: path,
    lock: async () => {
      const stack = new AsyncDisposableStack();
      stack.use(lockDirectory(path));
      return stack;
    },
    removeUnfinished: async () => removeUnfinished(path),
  };
}
/* oxlint-enable require-await */

function removeUnfinished(path: string): void {
  for (const place of [path, ...FOLDERS.map((folder) => join(path, folder))])
    for (const name of existsSync(place) ? readdirSync(place) : [])
      if (name.endsWith(".tmp")) rmSync(join(place, name), { force: true });
}
