/** Passwords: what is accepted, and how one is kept and compared. scrypt runs in the thread pool, one at a time. */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Problem } from "../api/problem.ts";
import { tooMany } from "../http/rates.ts";
import { COMMON_PASSWORDS } from "./common-passwords.ts";

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
  if (bytes < MIN_BYTES)
    throw weak(
      `It has ${bytes} bytes; at least ${MIN_BYTES} are needed.`,
      `它有 ${bytes} 个字节，至少需要 ${MIN_BYTES} 个。`,
    );
  if (bytes > MAX_BYTES)
    throw weak(
      `It has ${bytes} bytes; at most ${MAX_BYTES} are possible.`,
      `它有 ${bytes} 个字节，最多 ${MAX_BYTES} 个。`,
    );
  if (isPredictable(password))
    throw weak("It is among the passwords that everybody tries first.", "它属于人人首先会尝试的密码。");
  return password;
}

function weak(detail: string, zh: string): Problem {
  return new Problem("auth.weak-password", {
    detail: `This password cannot be used. ${detail}`,
    remedy: "Take four or five unrelated words.",
    zh: { detail: `不能使用此密码。${zh}`, remedy: "请使用四五个互不相关的词。" },
  });
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
