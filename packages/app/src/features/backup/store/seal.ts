/** AES-256-GCM over compressed bytes: nonce, tag, then the text. What it is stands in the associated data. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PLAIN = 0;
const ZSTD = 1;

/** @param associated Kind and name, as `chunk:…`: one in the place of another is not opened. */
export function seal(key: Uint8Array, associated: string, plain: Uint8Array): Buffer {
  const packed = zstdCompressSync(plain);
  const isSmaller = packed.length < plain.length;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(associated));
  const text = Buffer.concat([
    cipher.update(Uint8Array.of(isSmaller ? ZSTD : PLAIN)),
    cipher.update(isSmaller ? packed : plain),
    cipher.final(),
  ]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** @returns undefined when it was changed, belongs elsewhere, or has another key. */
export function unseal(key: Uint8Array, associated: string, sealed: Uint8Array): Buffer | undefined {
  if (sealed.length <= NONCE_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(associated));
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    const packed = text.subarray(1);
    return text[0] === ZSTD ? zstdDecompressSync(packed) : packed;
  } catch {
    return undefined; // the tag does not fit: that is the answer
  }
}
