/** Encrypted secrets in `vault.json`: AES-256-GCM an entry, bound to its name and version; the list as a whole is sealed. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { makeDirectory, readIfExists, replaceFile, takeTurns } from "@margay/core/internal";
import {
  findKey,
  forgetKey,
  makeKey,
  refuseShared,
  type KeyHeader,
  type KeyPlace,
  type VaultKeyKind,
} from "./vault-key.ts";

export interface VaultEntry {
  readonly name: string;
  readonly updatedAt: number;
}

export interface Vault {
  /** Needs no key. */
  list(): readonly VaultEntry[];
  /** How its key is kept; undefined: there is no vault yet. */
  readonly keyKind: VaultKeyKind | undefined;
  /** Undefined: there is no such entry. @throws RuntimeError `vault.locked`, `vault.wrong-key`, `vault.damaged`, `vault.shared`. */
  get(name: string): string | undefined;
  /** Makes the vault when there is none. */
  set(name: string, value: string, kind: VaultKeyKind, now: number): void;
  /** False: there is no such entry. */
  remove(name: string): boolean;
  /** Every entry under a new key. The old key is gone afterwards. */
  rotate(kind: VaultKeyKind, fresh: KeyPlace): void;
}

/** A change that makes a key of a passphrase takes a second of it, one that asks a keyring may wait for a person. */
const PATIENCE_MS = 60_000;

/** What `${vault:NAME}` can name. */
export const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/;

interface Sealed {
  readonly version: number;
  readonly updatedAt: number;
  readonly nonce: string;
  readonly tag: string;
  readonly data: string;
}
interface VaultFile {
  readonly format: "margay-vault";
  readonly version: 1;
  readonly key: KeyHeader;
  /** Tells another key from a changed file. */
  readonly check: string;
  readonly entries: Readonly<Record<string, Sealed>>;
  /** Over names, versions and tags: an entry that was removed, swapped or taken from an older file is noticed. */
  readonly seal: string;
}

/** The file of a vault, and how its key is had. */
interface VaultPlace {
  readonly place: KeyPlace;
  readonly path: string;
  /** A passphrase takes its time once. */
  known: { readonly id: string; readonly key: Buffer } | undefined;
}

export function openVault(place: KeyPlace): Vault {
  const vault: VaultPlace = { place, path: join(place.home, "vault.json"), known: undefined };
  /** What one reads and writes, no other changes in between: it would lose what was set, or the key of all of it. */
  const changing = <Result>(change: () => Result): Result =>
    takeTurns(join(place.home, "secrets"), PATIENCE_MS, change);
  return {
    list: () =>
      Object.entries(read(vault)?.entries ?? {})
        .map(([name, { updatedAt }]) => ({ name, updatedAt }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    get keyKind() {
      return read(vault)?.key.kind;
    },
    get: (name) => {
      const file = read(vault);
      const entry = entryOf(file, name);
      return file === undefined || entry === undefined ? undefined : open(vault, name, entry, unlock(vault, file));
    },
    set: (name, value, kind, now) =>
      changing(() => {
        const file = read(vault);
        const { header, key } =
          file === undefined ? makeKey(kind, place) : { header: file.key, key: unlock(vault, file) };
        const version = (entryOf(file, name)?.version ?? 0) + 1;
        write(vault, header, key, { ...file?.entries, [name]: close(name, version, value, now, key) });
      }),
    remove: (name) =>
      changing(() => {
        const file = read(vault);
        if (file === undefined || entryOf(file, name) === undefined) return false;
        const key = unlock(vault, file);
        const { [name]: _removed, ...left } = file.entries;
        write(vault, file.key, key, left);
        return true;
      }),
    rotate: (kind, fresh) => changing(() => rotate(vault, kind, fresh)),
  };
}

function damaged({ place: { t }, path }: VaultPlace): RuntimeError {
  return new RuntimeError("vault.damaged", t("vault.damaged", { path }), { details: { path } });
}

function read(vault: VaultPlace): VaultFile | undefined {
  const bytes = readIfExists(vault.path);
  if (bytes === undefined) return undefined;
  refuseShared(vault.path, vault.place.t);
  return parse(bytes.toString("utf8")) ?? raise(damaged(vault));
}

/** The key, after it was seen to be this file's and the file to be as margay wrote it. */
function unlock(vault: VaultPlace, file: VaultFile): Buffer {
  const { place, path, known } = vault;
  const key = known?.id === file.key.id ? known.key : findKey(file.key, place);
  if (!equal(file.check, mac(key, "check", file.key.id)))
    throw new RuntimeError("vault.wrong-key", place.t(`vault.wrongKey.${file.key.kind}`, { path }), {
      details: { path },
    });
  if (!equal(file.seal, sealOf(key, file.entries))) throw damaged(vault);
  vault.known = { id: file.key.id, key };
  return key;
}

function write({ place, path }: VaultPlace, header: KeyHeader, key: Buffer, entries: VaultFile["entries"]): void {
  makeDirectory(place.home);
  const file: VaultFile = {
    format: "margay-vault",
    version: 1,
    key: header,
    check: mac(key, "check", header.id),
    entries,
    seal: sealOf(key, entries),
  };
  replaceFile(path, `${JSON.stringify(file, null, 2)}\n`);
}

function open(vault: VaultPlace, name: string, entry: Sealed, key: Buffer): string {
  try {
    const decipher = createDecipheriv("aes-256-gcm", part(key, "entries"), Buffer.from(entry.nonce, "base64"), {
      authTagLength: 16,
    });
    decipher.setAAD(boundTo(name, entry.version));
    decipher.setAuthTag(Buffer.from(entry.tag, "base64"));
    return Buffer.concat([decipher.update(Buffer.from(entry.data, "base64")), decipher.final()]).toString("utf8");
  } catch {
    throw damaged(vault); // the tag does not fit
  }
}

function rotate(vault: VaultPlace, kind: VaultKeyKind, fresh: KeyPlace): void {
  const file = read(vault);
  if (file === undefined) throw new RuntimeError("usage.wrong", vault.place.t("vault.none"));
  const key = unlock(vault, file);
  const next = makeKey(kind, fresh);
  const entries = Object.entries(file.entries).map(([name, entry]) => [
    name,
    close(name, entry.version + 1, open(vault, name, entry, key), entry.updatedAt, next.key),
  ]);
  write(vault, next.header, next.key, Object.fromEntries(entries) as VaultFile["entries"]); // pairs of name and entry
  forgetKey(file.key, vault.place);
}

function close(name: string, version: number, value: string, updatedAt: number, key: Buffer): Sealed {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", part(key, "entries"), nonce, { authTagLength: 16 });
  cipher.setAAD(boundTo(name, version));
  const data = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
  return {
    version,
    updatedAt,
    nonce: nonce.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
    data: data.toString("base64"),
  };
}

function boundTo(name: string, version: number): Buffer {
  return Buffer.from(`margay-vault\0${name}\0${version}`);
}

function sealOf(key: Buffer, entries: VaultFile["entries"]): string {
  const rows = Object.entries(entries).map(([name, { version, updatedAt, nonce, tag }]) => [
    name,
    version,
    updatedAt,
    nonce,
    tag,
  ]);
  return mac(key, "list", JSON.stringify(rows.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))));
}

function mac(key: Buffer, purpose: string, text: string): string {
  return createHmac("sha256", part(key, purpose)).update(text).digest("base64");
}

/** One key for each purpose. */
function part(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", `margay vault ${purpose}`, 32));
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function entryOf(file: VaultFile | undefined, name: string): Sealed | undefined {
  return file !== undefined && Object.hasOwn(file.entries, name) ? file.entries[name] : undefined;
}

function parse(text: string): VaultFile | undefined {
  try {
    const file = JSON.parse(text) as Partial<VaultFile> | null; // looked at below; the seal vouches for the rest
    const ok =
      file?.format === "margay-vault" &&
      file.version === 1 &&
      typeof file.check === "string" &&
      typeof file.seal === "string" &&
      typeof file.entries === "object" &&
      typeof file.key === "object" &&
      ["file", "passphrase", "keyring"].includes(file.key.kind) &&
      typeof file.key.id === "string" &&
      /^[0-9a-f]{1,32}$/.test(file.key.id) &&
      Object.values(file.entries).every((entry) => typeof entry === "object");
    return ok ? (file as VaultFile) : undefined; // as just seen
  } catch {
    return undefined; // not JSON
  }
}

function raise(error: RuntimeError): never {
  throw error;
}
