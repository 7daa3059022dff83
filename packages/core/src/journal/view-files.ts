/** Readable files beside the journals: views that may be deleted, because they are made again from the journal. */
import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FILE_MODE, isMissing, makeDirectory } from "../machine/files/files.ts";

export interface ViewFiles {
  /** The first line (at most 64 KiB) and the size; undefined when there is no such file. */
  head(name: string): Promise<{ readonly line: string; readonly size: number } | undefined>;
  /**
   * Appends, then overwrites the beginning. Not synced: what a crash takes is made again.
   * @returns false, with nothing written, when the file is gone or does not have `size` bytes.
   */
  extend(name: string, size: number, appended: string, beginning: string): Promise<boolean>;
  /** Old or new content, never a mix. */
  replace(name: string, text: string): Promise<void>;
  /** @returns false when there is no such file. */
  rename(from: string, to: string): Promise<boolean>;
  remove(name: string): Promise<void>;
}

const MAX_LINE_BYTES = 65_536;

export function openViewFiles(directory: string): ViewFiles {
  const pathOf = (name: string): string => join(directory, name);
  return {
    head: (name) =>
      ifPresent(async () => {
        using file = opened(pathOf(name), "r");
        const size = file.size();
        const head = Buffer.alloc(Math.min(size, MAX_LINE_BYTES));
        const text = head.toString("utf8", 0, readSync(file.fd, head, 0, head.length, 0));
        return { line: text.split("\n", 1)[0] ?? "", size };
      }),
    extend: async (name, size, appended, beginning) =>
      (await ifPresent(async () => {
        using file = opened(pathOf(name), "r+");
        if (file.size() !== size) return false;
        if (appended !== "") writeAll(file.fd, Buffer.from(appended), size);
        // Rows first: a crash in between leaves a first line that does not match, and the file is made again.
        writeAll(file.fd, Buffer.from(beginning), 0);
        return true;
      })) ?? false,
    replace: async (name, text) => {
      makeDirectory(directory);
      const temporary = pathOf(`${name}.tmp`);
      await writeFile(temporary, text, { mode: FILE_MODE });
      await rename(temporary, pathOf(name));
    },
    rename: async (from, to) =>
      (await ifPresent(async () => {
        await rename(pathOf(from), pathOf(to));
        return true;
      })) ?? false,
    remove: (name) => rm(pathOf(name), { force: true }),
  };
}

/** Without the thread pool: what a turn adds is less than handing it over costs. */
function opened(path: string, flags: string): Disposable & { readonly fd: number; size(): number } {
  const fd = openSync(path, flags);
  return { fd, size: () => fstatSync(fd).size, [Symbol.dispose]: () => closeSync(fd) };
}

function writeAll(fd: number, data: Buffer, position: number): void {
  for (let done = 0; done < data.length;) done += writeSync(fd, data, done, data.length - done, position + done);
}

async function ifPresent<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
