/** Random secrets and how they are compared: only digests are kept, and comparing takes the same time for all of them. */
import { createHash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** 256 random bits and a checksum, so that a scanner of leaked secrets can be sure. */
export function newToken(): string {
  const secret = newSecret();
  return `mgy_${secret}_${checksum(secret)}`;
}

/** 43 characters, base64url. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Each character is 5 bits. */
export function newCode(characters: number): string {
  return Array.from({ length: characters }, () => CROCKFORD.charAt(randomInt(32))).join("");
}

/** As people type it: small letters, `O` for `0`, `I` and `L` for `1`, blanks and dashes. */
export function normalCode(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
}

/** SHA-256, hexadecimal. */
export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** In constant time, over digests of the same length. */
export function sameDigest(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, "hex"), Buffer.from(other, "hex"));
}

/** All are looked at, whichever fits: the time says nothing about which it was. */
export function findByDigest<Entry>(
  entries: Iterable<Entry>,
  digest: string,
  digestsOf: (entry: Entry) => readonly string[],
): Entry | undefined {
  let found: Entry | undefined;
  for (const entry of entries) for (const one of digestsOf(entry)) if (sameDigest(one, digest)) found = entry;
  return found;
}

function checksum(secret: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(secret));
  return bytes.toString("base64url");
}
