// A regular file held open for reading. Small ones are read at once: the thread pool costs more than the bytes.
import { type BigIntStats, closeSync, constants, fstatSync, openSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { READ_FLAGS } from "./open-directory.ts";
import { errorCode } from "./refusal.ts";

export interface OpenFile extends Disposable {
  readonly stats: BigIntStats;
  /** Of this very file as long as it is open, where the system has such paths; else the one it was opened by. */
  readonly path: string;
  /** Fills `memory` with the bytes from `position` on. @returns how many there were: fewer only at the end of the file. */
  read(memory: Uint8Array, position: number): Promise<number>;
  /** The whole content. */
  bytes(): Promise<Buffer>;
}

/** Up to here a read does not leave the thread. */
const SMALL_BYTES = 128n * 1024n;

const O_NOATIME = constants.O_NOATIME ?? 0;

const readLater = promisify(read);

/** @throws the file system's error; ELOOP for a link. */
export function openFile(path: string): OpenFile {
  let fd: number | undefined = openUnseen(path, READ_FLAGS);
  const open = fd;
  const close = (): void => {
    if (fd !== undefined) closeSync(fd);
    fd = undefined; // closed twice, the number may belong to somebody else by then
  };
  let stats: BigIntStats;
  try {
    stats = fstatSync(open, { bigint: true });
  } catch (error) {
    close();
    throw error;
  }
  const isSmall = stats.size <= SMALL_BYTES;
  const part = async (memory: Uint8Array, offset: number, position: number): Promise<number> => {
    const length = memory.length - offset;
    return isSmall
      ? readSync(open, memory, offset, length, position)
      : (await readLater(open, memory, offset, length, position)).bytesRead;
  };
  const fill: OpenFile["read"] = async (memory, position) => {
    let filled = 0;
    while (filled < memory.length) {
      const count = await part(memory, filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  };
  return {
    stats,
    path: process.platform === "linux" ? `/proc/self/fd/${open}` : path,
    read: fill,
    bytes: async () => {
      const parts: Buffer[] = [];
      let position = 0;
      // One byte more than there should be: it may have grown since it was opened.
      for (let size = Number(stats.size) + 1; ; size *= 2) {
        const memory = Buffer.allocUnsafe(size);
        const filled = await fill(memory, position);
        parts.push(memory.subarray(0, filled));
        position += filled;
        if (filled < size) return parts.length === 1 ? memory.subarray(0, filled) : Buffer.concat(parts);
      }
    },
    [Symbol.dispose]: close,
  };
}

/**
 * Linux: margay's own reading leaves no trace, so that what a command reads does. @see open(2), O_NOATIME
 * @param flags As of open(2), for reading.
 */
export function openUnseen(path: string, flags: number): number {
  try {
    return openSync(path, flags | O_NOATIME);
  } catch (error) {
    if (errorCode(error) !== "EPERM") throw error;
    return openSync(path, flags); // a file of somebody else
  }
}
