import { createHash, hash } from "node:crypto";
import type { OpenFile } from "../files/open-file.ts";

const CHUNK_BYTES = 1024 * 1024;

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
  const memory = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const count = await file.read(memory, all.bytes);
    all.add(memory.subarray(0, count));
    if (count < memory.length) return { hash: all.end(), size: all.bytes };
  }
}

/** SHA-256 in hex. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}
