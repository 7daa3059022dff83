import { createHash, hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { OpenFile } from "../files/open-file.ts";

const PART_BYTES = 256 * 1024;

/** The same of what comes in parts. */
export function hashing(): { add(part: Uint8Array): void; readonly bytes: number; end(): string } {
  const all = createHash("sha256");
  let bytes = 0;
  let hex: string | undefined;
  return {
    add: (part) => {
      all.update(part);
      bytes += part.length;
    },
    get bytes() {
      return bytes;
    },
    end: () => (hex ??= all.digest("hex")),
  };
}

/** Of a file that may be large: a piece at a time. */
export async function fileHash(
  file: Pick<OpenFile, "read">,
): Promise<{ readonly hash: string; readonly size: number }> {
  const all = hashing();
  for await (const part of partsOf(file, Infinity)) all.add(part);
  return { hash: all.end(), size: all.bytes };
}

/** At most so many bytes of it, all in the same memory: for whoever is done with each before the next is read. */
export async function* partsOf(file: Pick<OpenFile, "read">, bytes: number): AsyncGenerator<Uint8Array> {
  const memory = Buffer.allocUnsafe(PART_BYTES);
  for (let at = 0, count = PART_BYTES; count === PART_BYTES; at += count) {
    count = await file.read(memory.subarray(0, bytes - at), at);
    yield memory.subarray(0, count);
  }
}

/** SHA-256 in hex. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/** CRC-32, eight digits of hex. */
export function crcOf(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
