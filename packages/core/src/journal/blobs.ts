/** Content-addressed bytes in a directory: equal content is stored once. */
import { existsSync, openAsBlob, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Millis } from "../contract/base.ts";
import type { BlobRef } from "../contract/message.ts";
import type { Blobs } from "../contract/store.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { openFile } from "../machine/files/open-file.ts";
import { makeDirectory, readIfExists, replaceFile, touch, writeStream } from "../machine/files/files.ts";
import { fileHash, hashing, partsOf, sha256 } from "../machine/system/hash.ts";

const NAME = /^[0-9a-f]{64}$/;

export function openBlobs(directory: string): Blobs {
  const pathOf = (hash: string): string => join(directory, hash.slice(0, 2), hash);
  const kept = (hash: string): { readonly bytes: number; readonly putAt: Millis } | undefined => {
    const found = NAME.test(hash) ? statSync(pathOf(hash), { throwIfNoEntry: false }) : undefined;
    return found && { bytes: found.size, putAt: Math.floor(found.mtimeMs) as Millis }; // of the machine's clock
  };
  const missing = (hash: string): RuntimeError =>
    new RuntimeError(
      "blob.missing",
      `The attachment ${hash.slice(0, 12)} is missing or damaged. Restore ${directory} from a backup.`,
    );
  const putStream = async (bytes: AsyncIterable<Uint8Array>): Promise<BlobRef> => {
    const all = hashing();
    await writeStream(directory, bytes, { seen: all.add, path: () => pathOf(all.end()) });
    return { sha256: all.end(), bytes: all.bytes };
  };
  return {
    // oxlint-disable-next-line require-await -- the contract is asynchronous: another store is a database
    put: async (bytes) => {
      const hash = sha256(bytes);
      const path = pathOf(hash);
      if (!existsSync(path)) {
        makeDirectory(join(directory, hash.slice(0, 2)));
        replaceFile(path, bytes);
      } else touch(path); // somebody is about to name it: it counts as new
      return { sha256: hash, bytes: bytes.length };
    },
    putStream,
    putFile: (file, bytes) => putStream(partsOf(file, bytes)),
    // oxlint-disable-next-line require-await -- see put
    read: async (ref) => {
      const bytes = NAME.test(ref.sha256) ? readIfExists(pathOf(ref.sha256)) : undefined;
      if (bytes === undefined || sha256(bytes) !== ref.sha256) throw missing(ref.sha256);
      return bytes;
    },
    open: async ({ sha256: hash }) => {
      if (!NAME.test(hash) || !existsSync(pathOf(hash))) throw missing(hash);
      const blob = await openAsBlob(pathOf(hash)); // of what changes from here on it gives nothing
      using file = openFile(pathOf(hash));
      if ((await fileHash(file)).hash !== hash) throw missing(hash);
      return blob;
    },
    // oxlint-disable-next-line require-await -- see put
    list: async () =>
      (existsSync(directory) ? readdirSync(directory) : []).flatMap((folder) =>
        readdirSync(join(directory, folder)).flatMap((sha256) => {
          const found = kept(sha256);
          return found === undefined ? [] : [{ sha256, ...found }];
        }),
      ),
    // oxlint-disable-next-line require-await -- see put
    remove: async (hash, before) => {
      const found = kept(hash);
      if (found === undefined || (before !== undefined && found.putAt >= before)) return false;
      rmSync(pathOf(hash));
      return true;
    },
  };
}
