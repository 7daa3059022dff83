/** Secrets of a backup under a passphrase: scrypt, then AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import type { Backup } from "./schema.ts";

type Sealed = NonNullable<Backup["secrets"]>;

/** OWASP Password Storage Cheat Sheet (2026): N=2^17, r=8, p=1. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
const KEY_BYTES = 32;

export async function seal(secrets: Readonly<Record<string, string>>, passphrase: string): Promise<Sealed> {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", await keyOf(passphrase, salt), nonce);
  const data = Buffer.concat([cipher.update(JSON.stringify(secrets), "utf8"), cipher.final()]);
  return {
    salt: salt.toString("base64"),
    nonce: nonce.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
    data: data.toString("base64"),
  };
}

/** Undefined: another passphrase, or the file was changed. */
export async function unseal(
  { salt, nonce, tag, data }: Sealed,
  passphrase: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const key = await keyOf(passphrase, Buffer.from(salt, "base64"));
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64"), { authTagLength: 16 });
    decipher.setAuthTag(Buffer.from(tag, "base64"));
    const text = Buffer.concat([decipher.update(Buffer.from(data, "base64")), decipher.final()]).toString("utf8");
    return JSON.parse(text) as Record<string, string>; // sealed by us: the tag says so
  } catch {
    return undefined; // the tag does not fit: that is the answer
  }
}

function keyOf(passphrase: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(passphrase.normalize("NFKC"), salt, KEY_BYTES, COST, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  );
}
