/** Passwords: what is accepted, and how one is kept and compared. scrypt runs in the thread pool, one at a time. */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Problem } from "../api/problem.ts";
import { tooMany } from "../http/rates.ts";
import { COMMON_PASSWORDS } from "./common-passwords.ts";
import { filled, told } from "../api/words.ts";
import type { Text } from "../../texts/text.ts";
import { TEXT } from "./api-texts.ts";

export interface PasswordHash {
  readonly salt: string;
  readonly hash: string;
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** OWASP Password Storage Cheat Sheet, scrypt (2^15, 8, 3). */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const;
const HASH_BYTES = 32;
const MIN_BYTES = 12;
const MAX_BYTES = 256;
const MAX_WAITING = 4;

/** The form that is hashed. @throws Problem `auth.weak-password`. */
export function acceptablePassword(typed: string): string {
  const password = typed.normalize("NFKC");
  const bytes = Buffer.byteLength(password);
  if (bytes < MIN_BYTES) throw weak(filled(TEXT.hasBytesAt, { bytes, minBytes: MIN_BYTES }));
  if (bytes > MAX_BYTES) throw weak(filled(TEXT.hasBytesAtMost, { bytes, maxBytes: MAX_BYTES }));
  if (isPredictable(password)) throw weak(TEXT.amongPasswordsEverybody);
  return password;
}

function weak(why: Text): Problem {
  return new Problem("auth.weak-password", told({ detail: TEXT.passwordCannotUsed, remedy: TEXT.takeFourOr }, { why }));
}

/** Known ones, one piece over and over, and runs of the keyboard or the alphabet. */
export function isPredictable(text: string): boolean {
  const plain = text.toLowerCase();
  if (COMMON_PASSWORDS.has(plain) || COMMON_PASSWORDS.has(plain.replaceAll(/[^a-z]/g, ""))) return true;
  if (/^(.{1,6}?)\1+.{0,5}$/u.test(plain) && new Set(plain).size <= 6) return true;
  return RUNS.some((run) => run.includes(plain) || [...run].toReversed().join("").includes(plain));
}

const RUNS: readonly string[] = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890123456789012345678901234567890",
  "qwertyuiopasdfghjklzxcvbnm",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
  "`1234567890-=qwertyuiop[]asdfghjkl;'zxcvbnm,./",
];

export interface Hasher {
  make(password: string): Promise<PasswordHash>;
  /** The same work when there is no password to compare with. */
  fits(password: string, stored: PasswordHash | undefined): Promise<boolean>;
}

export function createHasher(): Hasher {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const derive = async (password: string, salt: Buffer, cost: typeof COST | PasswordHash): Promise<Buffer> => {
    if (waiting > MAX_WAITING) throw tooMany("Too many passwords are being checked.", 2000);
    waiting += 1;
    const mine = tail.then(() => scryptOf(password, salt, cost));
    tail = mine.catch(() => {}); // reported to whoever asked
    try {
      return await mine;
    } finally {
      waiting -= 1;
    }
  };
  return {
    make: async (password) => {
      const salt = randomBytes(16);
      const hash = await derive(password, salt, COST);
      return { salt: salt.toString("base64"), hash: hash.toString("base64"), ...COST };
    },
    fits: async (password, stored) => {
      const salt = stored === undefined ? Buffer.alloc(16) : Buffer.from(stored.salt, "base64");
      const expected = stored === undefined ? randomBytes(HASH_BYTES) : Buffer.from(stored.hash, "base64");
      const found = await derive(password.normalize("NFKC").slice(0, MAX_BYTES), salt, stored ?? COST);
      return expected.length === found.length && timingSafeEqual(expected, found) && stored !== undefined;
    },
  };
}

function scryptOf(password: string, salt: Buffer, { N, r, p }: typeof COST | PasswordHash): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
