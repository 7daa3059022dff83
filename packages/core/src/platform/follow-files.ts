// Reads files while somebody else appends to them: in order, each byte once, with bounded memory and bounded disk.
import fs from "node:fs";
import { join } from "node:path";

const CHUNK_BYTES = 64 * 1024;
const CHUNKS_PER_PAUSE = 16;
/** What a reader needs after a crash: the first and the last megabyte of a file stay, the middle is given back. */
const KEPT_BYTES = 1024 * 1024;
const PUNCH_EVERY_BYTES = 64 * 1024 * 1024;
/** Where the middle cannot be given back (no `fallocate`), the writer must be stopped here. */
const MAX_FILE_BYTES = 4 * 1024 ** 3;

export interface FollowOptions {
  readonly onBytes: (name: string, bytes: Uint8Array) => void;
  /** A file grew beyond 4 GiB and its disk blocks could not be freed. */
  readonly onOverflow: () => void;
}
export interface Follower {
  /** Reads to the present end of every file. */
  drain(): Promise<void>;
  close(): void;
}

/** Follows `names` in `directory`, which must exist. Does not hold the process open. */
export function followFiles(directory: string, names: readonly string[], options: FollowOptions): Follower {
  const files = names.map((name) => openFile(directory, name, options));
  let reading: Promise<void> | undefined;
  let isStale = false;
  const readOn = async (): Promise<void> => {
    try {
      while (isStale) {
        isStale = false;
        await readAll(files);
      }
    } finally {
      // In the same step in which the loop ends: a later call starts a new one.
      reading = undefined;
    }
  };
  const drain = async (): Promise<void> => {
    isStale = true;
    reading ??= readOn();
    await reading;
  };
  // A read error is reported by the last drain.
  const look = (): void => void drain().catch(() => undefined);
  const watcher = watch(directory, look);
  // What was written before the watch began raises no event.
  look();
  return {
    drain,
    close: () => {
      watcher?.close();
      for (const file of files) file.close();
    },
  };
}

interface OpenFile {
  /** @returns false at the present end. */
  readChunk(): boolean;
  close(): void;
}

function openFile(directory: string, name: string, options: FollowOptions): OpenFile {
  const path = join(directory, name);
  let buffer: Buffer | undefined;
  let fd: number | undefined = fs.openSync(path, "r");
  let offset = 0;
  let punched = 0;
  return {
    readChunk: () => {
      if (fd === undefined) return false;
      buffer ??= Buffer.allocUnsafe(CHUNK_BYTES);
      const count = fs.readSync(fd, buffer, 0, buffer.length, offset);
      if (count === 0) return false;
      offset += count;
      options.onBytes(name, buffer.subarray(0, count));
      if (offset - punched > PUNCH_EVERY_BYTES) {
        punched = offset;
        punchHole(path, offset - 2 * KEPT_BYTES, () => {
          if (offset > MAX_FILE_BYTES) options.onOverflow();
        });
      }
      return true;
    },
    close: () => {
      // What stays until the session is tidied up is small, unless the machine cannot punch.
      if (offset - punched > 4 * KEPT_BYTES) punchHole(path, offset - 2 * KEPT_BYTES, () => undefined);
      if (fd !== undefined) fs.closeSync(fd);
      fd = undefined;
    },
  };
}

async function readAll(files: readonly OpenFile[]): Promise<void> {
  let chunks = 0;
  let more = true;
  while (more) {
    more = false;
    for (const file of files) more = file.readChunk() || more;
    if (++chunks % CHUNKS_PER_PAUSE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Frees disk blocks in the middle of a file without changing its length, so that its writer notices nothing. */
function punchHole(path: string, length: number, onFailure: () => void): void {
  const argv = ["--punch-hole", "--offset", String(KEPT_BYTES), "--length", String(length), path];
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn("/usr/bin/fallocate", argv, { env: {}, stdio: "ignore" });
  child.once("error", onFailure);
  child.once("exit", (code) => {
    if (code !== 0) onFailure();
  });
}

function watch(directory: string, onChange: () => void): fs.FSWatcher | undefined {
  try {
    // Losing the watch loses live progress only: the last drain reads everything.
    return fs.watch(directory, { persistent: false }, onChange).on("error", () => undefined);
  } catch {
    return undefined; // no inotify watch left
  }
}
