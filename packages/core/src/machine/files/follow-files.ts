// Reads files while somebody else appends to them: in order, no byte twice, with bounded time, memory and disk.
import fs from "node:fs";
import { join } from "node:path";
import { systemClock } from "../system/clock.ts";

const CHUNK_BYTES = 64 * 1024;
const PAUSE_EVERY_BYTES = 1024 * 1024;
/** 64 MB/s: whoever writes faster is not followed at the cost of everything else that this process does. */
const BYTES_PER_MS = 64_000;
/** What a reader needs after a crash: the first and the last megabyte of a file stay, the middle is given back. */
const KEPT_BYTES = 1024 * 1024;
/** What is read at the end however much lies before: a megabyte, and what shows whether it begins inside a secret. */
const TAIL_BYTES = KEPT_BYTES + 4 * 1024;
/** A reader that is so far behind a writer goes on near its end: the disk would hold all that lies between. */
const LAG_BYTES = 256 * 1024 * 1024;
const PUNCH_EVERY_BYTES = 64 * 1024 * 1024;
/** Where the middle cannot be given back (no `fallocate`), the writer must be stopped here. */
const MAX_FILE_BYTES = 4 * 1024 ** 3;

export interface FollowOptions {
  readonly onBytes: (name: string, bytes: Uint8Array) => void;
  /** So many bytes are passed over: what comes next does not continue what came before. Never within the first megabyte. */
  readonly onSkipped: (name: string, bytes: number) => void;
  /** A file grew beyond 4 GiB and its disk blocks could not be freed. */
  readonly onOverflow: () => void;
}
export interface Follower {
  /** For when nobody writes any more: at once reads the end of every file, over all that lies long before it. */
  finish(): Promise<void>;
  close(): void;
}

/** Follows `names` in `directory`, which must exist. Holds the process open only while there is something to read. */
export function followFiles(directory: string, names: readonly string[], options: FollowOptions): Follower {
  const files = names.map((name) => openFile(directory, name, options));
  const hurry = new AbortController();
  const rest = createPace(hurry.signal);
  let reading: Promise<void> | undefined;
  let isStale = false;
  const readOn = async (): Promise<void> => {
    try {
      while (isStale) {
        isStale = false;
        await readAll(files, rest);
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
  // A read error is reported by the last one.
  const look = (): void => void drain().catch(() => undefined);
  const watcher = watch(directory, look);
  // What was written before the watch began raises no event.
  look();
  return {
    finish: async () => {
      for (const file of files) file.finish();
      hurry.abort(new Error("nobody writes any more"));
      await drain();
    },
    close: () => {
      hurry.abort(new Error("closed"));
      watcher?.close();
      for (const file of files) file.close();
    },
  };
}

interface OpenFile {
  /** @returns how many bytes: 0 at the present end. */
  readChunk(): number;
  /** What is there now is all there will be. */
  finish(): void;
  close(): void;
}

function openFile(directory: string, name: string, options: FollowOptions): OpenFile {
  const path = join(directory, name);
  let buffer: Buffer | undefined;
  let fd: number | undefined = fs.openSync(path, "r");
  let offset = 0;
  let punched = 0;
  /** Of the file, once nobody writes to it: what could not be killed may go on for ever. */
  let end: number | undefined;
  return {
    finish: () => {
      if (fd !== undefined) end = fs.fstatSync(fd).size;
    },
    readChunk: () => {
      if (fd === undefined) return 0;
      const size = end ?? fs.fstatSync(fd).size;
      if (offset >= KEPT_BYTES && size - offset > (end === undefined ? LAG_BYTES : TAIL_BYTES)) {
        options.onSkipped(name, size - TAIL_BYTES - offset);
        offset = size - TAIL_BYTES;
      }
      buffer ??= Buffer.allocUnsafe(CHUNK_BYTES);
      const count = fs.readSync(fd, buffer, 0, Math.max(0, Math.min(buffer.length, size - offset)), offset);
      if (count === 0) return 0;
      offset += count;
      options.onBytes(name, buffer.subarray(0, count));
      if (offset - punched > PUNCH_EVERY_BYTES) {
        punched = offset;
        punchHole(path, offset - 2 * KEPT_BYTES, () => {
          if (offset > MAX_FILE_BYTES) options.onOverflow();
        });
      }
      return count;
    },
    close: () => {
      // What stays until the session is tidied up is small, unless the machine cannot punch.
      if (offset - punched > 4 * KEPT_BYTES) punchHole(path, offset - 2 * KEPT_BYTES, () => undefined);
      if (fd !== undefined) fs.closeSync(fd);
      fd = undefined;
    },
  };
}

async function readAll(files: readonly OpenFile[], rest: (bytes: number) => Promise<void>): Promise<void> {
  let bytes: number;
  do {
    bytes = files.reduce((sum, file) => sum + file.readChunk(), 0);
    await rest(bytes);
  } while (bytes > 0);
}

/** Lets everything else have its turn, and reading no more than its share of a second; until there is a hurry. */
function createPace(hurry: AbortSignal): (bytes: number) => Promise<void> {
  const clock = systemClock();
  let owed = 0;
  return async (bytes) => {
    owed += bytes;
    if (owed < PAUSE_EVERY_BYTES) return;
    const ms = owed / BYTES_PER_MS;
    owed = 0;
    if (hurry.aborted) await new Promise((resolve) => setImmediate(resolve));
    else await clock.sleep(ms, hurry).catch(() => undefined);
  };
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
