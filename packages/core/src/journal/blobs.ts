/** Content-addressed bytes in a directory: equal content is stored once. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BlobStore } from "../contract/services.ts";
import { RuntimeError } from "../lib/errors.ts";
import { makeDirectory, readIfExists, replaceFile } from "../platform/files.ts";
import { sha256 } from "../platform/hash.ts";

export function openBlobs(directory: string): BlobStore {
  const pathOf = (hash: string): string => join(directory, hash.slice(0, 2), hash);
  return {
    // oxlint-disable-next-line require-await -- the contract is asynchronous: another store is a database
    put: async (bytes) => {
      const hash = sha256(bytes);
      const path = pathOf(hash);
      if (!existsSync(path)) {
        makeDirectory(join(directory, hash.slice(0, 2)));
        replaceFile(path, bytes);
      }
      return { sha256: hash, bytes: bytes.length };
    },
    // oxlint-disable-next-line require-await -- see put
    read: async (ref) => {
      const bytes = /^[0-9a-f]{64}$/.test(ref.sha256) ? readIfExists(pathOf(ref.sha256)) : undefined;
      if (bytes === undefined || sha256(bytes) !== ref.sha256)
        throw new RuntimeError(
          "blob.missing",
          `The attachment ${ref.sha256.slice(0, 12)} is missing or damaged. Restore ${directory} from a backup.`,
        );
      return bytes;
    },
  };
}
