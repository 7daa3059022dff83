/** Keys of a backup: a random one, kept in the target under the passphrase, and what is derived from it. */
import { createHash, createHmac, hkdfSync, randomBytes, scrypt } from "node:crypto";
import { RuntimeError } from "@margay/core";
import { seal, unseal } from "./seal.ts";

export interface Keys {
  /** Of AES-256-GCM. */
  readonly content: Uint8Array;
  /** Of HMAC-SHA-256: the name of what is kept. */
  readonly names: Uint8Array;
  /** One number for each byte: where chunks end says nothing without the key. */
  readonly cutting: Uint32Array;
}

/** OWASP Password Storage Cheat Sheet (2026): N=2^17, r=8, p=1. */
const COST = { N: 2 ** 17, r: 8, p: 1 };
const KEY_BYTES = 32;
export const FORMAT = "margay-backup";
export const VERSION = 1;

interface KeyFile {
  readonly format: string;
  readonly version: number;
  readonly kdf: {
    readonly name: "scrypt";
    readonly N: number;
    readonly r: number;
    readonly p: number;
    readonly salt: string;
  };
  readonly sealed: string;
  readonly sum: string;
}

export interface MadeKeys {
  readonly keys: Keys;
  readonly file: Uint8Array;
}

/** The slow part: half a second and 128 MiB. Who opens one backup many times remembers what it gave. */
export type Derive = (passphrase: string, salt: string) => Promise<Buffer>;

export async function createKeys(passphrase: string, derive: Derive): Promise<MadeKeys> {
  const main = randomBytes(KEY_BYTES);
  const kdf = { name: "scrypt", ...COST, salt: randomBytes(16).toString("base64") } as const;
  const head = { format: FORMAT, version: VERSION, kdf };
  const sealed = seal(await derive(passphrase, kdf.salt), associated(head), main).toString("base64");
  return { keys: keysFrom(main), file: encode({ ...head, sealed, sum: sumOf({ ...head, sealed }) }) };
}

/** @returns undefined when the file is not whole. @throws RuntimeError `backup.wrong-key`, `backup.damaged` for a newer format. */
export async function openKeys(file: Uint8Array, passphrase: string, derive: Derive): Promise<Keys | undefined> {
  const parsed = decode(file);
  if (parsed === undefined) return undefined;
  const { sealed, sum, ...head } = parsed;
  if (sum !== sumOf({ ...head, sealed })) return undefined;
  if (head.version > VERSION)
    throw new RuntimeError(
      "backup.damaged",
      `The backup has format ${head.version}, and this margay reads ${VERSION}. Install a newer margay.`,
    );
  const main = unseal(await derive(passphrase, head.kdf.salt), associated(head), Buffer.from(sealed, "base64"));
  if (main === undefined)
    throw new RuntimeError(
      "backup.wrong-key",
      "The passphrase is not that of this backup. Nothing was read or written.",
    );
  return keysFrom(main);
}

function keysFrom(main: Uint8Array): Keys {
  const part = (name: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync("sha256", main, new Uint8Array(), `${FORMAT} ${name}`, bytes));
  const table = part("cutting", 1024);
  return {
    content: part("content", KEY_BYTES),
    names: part("names", KEY_BYTES),
    cutting: Uint32Array.from({ length: 256 }, (_, index) => table.readUInt32LE(index * 4)),
  };
}

/** Equal content of one kind has one name. */
export function nameOf(keys: Keys, kind: string, content: Uint8Array): string {
  return createHmac("sha256", keys.names).update(`${kind}:`).update(content).digest("hex");
}

export function derived(passphrase: string, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(
      passphrase.normalize("NFKC"),
      Buffer.from(salt, "base64"),
      KEY_BYTES,
      { ...COST, maxmem: 256 * 1024 * 1024 },
      (error, key) => (error === null ? resolve(key) : reject(error)),
    ),
  );
}

function associated(head: Omit<KeyFile, "sealed" | "sum">): string {
  return `key:${JSON.stringify(head)}`;
}

function sumOf(body: Omit<KeyFile, "sum">): string {
  return createHash("sha256").update(JSON.stringify(body)).digest("hex");
}

function encode(file: KeyFile): Uint8Array {
  return Buffer.from(`${JSON.stringify(file)}\n`);
}

/** What is written another way than we write it was changed. */
function decode(bytes: Uint8Array): KeyFile | undefined {
  try {
    const value = JSON.parse(Buffer.from(bytes).toString("utf8")) as KeyFile; // compared below, byte by byte
    const { format, version, kdf, sealed, sum } = value;
    const { name, N, r, p, salt } = kdf;
    const again = { format, version, kdf: { name, N, r, p, salt }, sealed, sum };
    const isOurs = format === FORMAT && N === COST.N && r === COST.r && p === COST.p;
    return isOurs && Buffer.compare(encode(again), bytes) === 0 ? again : undefined;
  } catch {
    return undefined; // not what we write
  }
}
