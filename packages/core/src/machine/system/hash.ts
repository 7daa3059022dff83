import { createHash, hash } from "node:crypto";

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

/** SHA-256 in hex. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}
