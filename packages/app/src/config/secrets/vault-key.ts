/** The key of the vault: random in a file or in the keyring of the system, or made of a passphrase. */
import { randomBytes, scryptSync } from "node:crypto";
import { readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { RuntimeError } from "@margay/core";
import { makeDirectory, readIfExists, replaceFile, type Docs } from "@margay/core/internal";
import type { Translate } from "../../texts/translate.ts";
import { openKeyring } from "./keyring.ts";

export type VaultKeyKind = "file" | "passphrase" | "keyring";

/** How the key is found, as the vault says it. `id` is another one for each key. */
export interface KeyHeader {
  readonly kind: VaultKeyKind;
  readonly id: string;
  /** Of a passphrase, base64. */
  readonly salt?: string;
}

export interface KeyPlace {
  /** The state directory. */
  readonly home: string;
  readonly docs: Docs;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly t: Translate;
  /** Typed by a person; else MARGAY_VAULT_PASSPHRASE, else the file MARGAY_VAULT_PASSPHRASE_FILE. */
  readonly passphrase?: string;
}

const KEY_BYTES = 32;
/** OWASP Password Storage Cheat Sheet (2026): N=2^17, r=8, p=1. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

/** @throws RuntimeError `vault.locked`: there is no passphrase. */
export function makeKey(kind: VaultKeyKind, place: KeyPlace): { readonly header: KeyHeader; readonly key: Buffer } {
  const id = randomBytes(6).toString("hex");
  if (kind === "passphrase") {
    const salt = randomBytes(16);
    return { header: { kind, id, salt: salt.toString("base64") }, key: derive(place, salt) };
  }
  const key = randomBytes(KEY_BYTES);
  const text = key.toString("base64");
  if (kind === "keyring") openKeyring(place).set(entryOf(id), text);
  else {
    const path = fileOf(place.home, id);
    makeDirectory(dirname(path));
    replaceFile(path, text);
  }
  return { header: { kind, id }, key };
}

/** @throws RuntimeError `vault.locked` naming what is missing, `vault.shared`, `keyring.failed`. */
export function findKey(header: KeyHeader, place: KeyPlace): Buffer {
  const { home, t } = place;
  switch (header.kind) {
    case "passphrase":
      return derive(place, Buffer.from(header.salt ?? "", "base64"));
    case "file": {
      const path = fileOf(home, header.id);
      refuseShared(path, t);
      const text = readIfExists(path)?.toString("utf8");
      if (text === undefined) throw locked(t("vault.noKeyFile", { path }));
      return Buffer.from(text, "base64");
    }
    case "keyring": {
      const text = openKeyring(place).get(entryOf(header.id));
      if (text === undefined) throw locked(t("vault.noKeyringEntry", { name: entryOf(header.id) }));
      return Buffer.from(text, "base64");
    }
  }
}

/** After another key has taken its place. */
export function forgetKey({ kind, id }: KeyHeader, place: KeyPlace): void {
  if (kind === "file") rmSync(fileOf(place.home, id), { force: true });
  if (kind === "keyring") openKeyring(place).remove(entryOf(id));
}

/** @throws RuntimeError `vault.shared`: others on this machine can read it. */
export function refuseShared(path: string, t: Translate): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (process.platform === "win32" || mode === undefined || (mode & 0o077) === 0) return;
  throw new RuntimeError("vault.shared", t("vault.shared", { path, mode: (mode & 0o777).toString(8) }), {
    details: { path },
  });
}

function derive(place: KeyPlace, salt: Uint8Array): Buffer {
  const passphrase = passphraseOf(place);
  if (passphrase === undefined || passphrase === "") throw locked(place.t("vault.noPassphrase"));
  return scryptSync(passphrase.normalize("NFKC"), salt, KEY_BYTES, COST);
}

function passphraseOf({ passphrase, env, t }: KeyPlace): string | undefined {
  if (passphrase !== undefined) return passphrase;
  const given = env["MARGAY_VAULT_PASSPHRASE"];
  if (given !== undefined && given !== "") return given;
  const path = env["MARGAY_VAULT_PASSPHRASE_FILE"];
  if (path === undefined || path === "") return undefined;
  refuseShared(path, t);
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new RuntimeError("vault.locked", t("vault.noPassphraseFile", { path }), { cause: error });
  }
}

function locked(message: string): RuntimeError {
  return new RuntimeError("vault.locked", message);
}

function fileOf(home: string, id: string): string {
  return join(home, "secrets", `vault-${id}.key`);
}

function entryOf(id: string): string {
  return `vault-${id}`;
}
