import { randomBytes } from "node:crypto";
import type { Ids } from "../../contract/base.ts";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Random ids of 80 bits, `{kind}-{16 letters}`: unique without asking anybody. */
export function systemIds(): Ids {
  return { next: (kind) => `${kind}-${letters()}` };
}

/** 22 characters of 16 random bytes, for what nobody may guess. */
export function randomToken(): string {
  return randomBytes(16).toString("base64url");
}

function letters(): string {
  let text = "";
  for (const byte of randomBytes(16)) text += ALPHABET.charAt(byte & 31);
  return text;
}

/** Uniform in [0, 1): for jitter only. */
export function random(): number {
  return Math.random();
}
