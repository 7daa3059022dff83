/** Encrypted secrets in `vault.json`: AES-256-GCM an entry, bound to its name and version; the list as a whole is sealed. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { changeDoc, type Doc } from "@margay/core/internal";
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
  set(name: string, value: string, kind: VaultKeyKind, now: number): Promise<void>;
  /** False: there is no such entry. */
  remove(name: string): Promise<boolean>;
  /** Every entry under a new key. The old key is gone afterwards. */
  rotate(kind: VaultKeyKind, fresh: KeyPlace): Promise<void>;
}

export const VAULT_DOC = "vault.json";

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

/** Where a vault is, and how its key is had. */
interface VaultPlace {
  readonly place: KeyPlace;
  /** A passphrase takes its time once. */
  known: { readonly id: string; readonly key: Buffer } | undefined;
}

export function openVault(place: KeyPlace): Vault {
  const vault: VaultPlace = { place, known: undefined };
  const read = (): VaultFile | undefined => fileOf(vault, place.docs.peek(VAULT_DOC));
  return {
    list: () =>
      Object.entries(read()?.entries ?? {})
        .map(([name, { updatedAt }]) => ({ name, updatedAt }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    get keyKind() {
      return read()?.key.kind;
    },
    get: (name) => {
      const file = read();
      const entry = entryOf(file, name);
      return file === undefined || entry === undefined ? undefined : open(vault, name, entry, unlock(vault, file));
    },
    set: (name, value, kind, now) =>
      changing(vault, (file, keys) => {
        const { header, key } =
          file === undefined ? keys.make(kind, place) : { header: file.key, key: unlock(vault, file) };
        const version = (entryOf(file, name)?.version ?? 0) + 1;
        return [textOf(header, key, { ...file?.entries, [name]: close(name, version, value, now, key) }), undefined];
      }),
    remove: (name) =>
      changing(vault, (file) => {
        if (file === undefined || entryOf(file, name) === undefined) return [undefined, false];
        const key = unlock(vault, file);
        const { [name]: _removed, ...left } = file.entries;
        return [textOf(file.key, key, left), true];
      }),
    rotate: async (kind, fresh) => {
      const before = await changing(vault, (file, keys) => {
        if (file === undefined) throw new RuntimeError("usage.wrong", place.t("vault.none"));
        const key = unlock(vault, file);
        const next = keys.make(kind, fresh);
        const entries = Object.entries(file.entries).map(([name, entry]) => [
          name,
          close(name, entry.version + 1, open(vault, name, entry, key), entry.updatedAt, next.key),
        ]);
        const closed = Object.fromEntries(entries) as VaultFile["entries"]; // pairs of name and entry
        return [textOf(next.header, next.key, closed), file.key];
      });
      forgetKey(before, place);
    },
  };
}

/** Makes the key of a new vault. One for a change that somebody else was faster than is forgotten. */
interface Keys {
  make(kind: VaultKeyKind, place: KeyPlace): ReturnType<typeof makeKey>;
}

/** @param change What it gives is written; undefined: nothing is. */
async function changing<Result>(
  vault: VaultPlace,
  change: (file: VaultFile | undefined, keys: Keys) => readonly [text: string | undefined, result: Result],
): Promise<Result> {
  const { place } = vault;
  let unused: readonly [KeyHeader, KeyPlace] | undefined;
  const forget = (): void => {
    if (unused !== undefined) forgetKey(...unused);
    unused = undefined;
  };
  const keys: Keys = {
    make: (kind, at) => {
      const made = makeKey(kind, at);
      unused = [made.header, at];
      return made;
    },
  };
  try {
    const result = await changeDoc(place.docs, VAULT_DOC, (body) => {
      forget();
      if (body !== undefined) refuseShared(join(place.home, VAULT_DOC), place.t);
      const [text, result] = change(body === undefined ? undefined : (parse(body) ?? raise(damaged(place))), keys);
      return [text ?? body, result];
    });
    return result;
  } catch (error) {
    // A disk may fail when the new vault is in its place already: its key is the only one that opens it.
    if (unused !== undefined && !(await mayBeUnder(unused[0], place))) forget();
    throw error;
  }
}

/** Whether the vault is under this key, or nobody can see which. */
async function mayBeUnder({ id }: KeyHeader, { docs }: KeyPlace): Promise<boolean> {
  try {
    const doc = await docs.read(VAULT_DOC);
    return doc !== undefined && parse(doc.body)?.key.id === id;
  } catch {
    return true;
  }
}

function damaged({ t, home }: KeyPlace): RuntimeError {
  const path = join(home, VAULT_DOC);
  return new RuntimeError("vault.damaged", t("vault.damaged", { path }), { details: { path } });
}

function fileOf({ place }: VaultPlace, doc: Doc | undefined): VaultFile | undefined {
  if (doc === undefined) return undefined;
  refuseShared(join(place.home, VAULT_DOC), place.t);
  return parse(doc.body) ?? raise(damaged(place));
}

/** The key, after it was seen to be this file's and the file to be as margay wrote it. */
function unlock(vault: VaultPlace, file: VaultFile): Buffer {
  const { place, known } = vault;
  const key = known?.id === file.key.id ? known.key : findKey(file.key, place);
  if (!equal(file.check, mac(key, "check", file.key.id))) {
    const path = join(place.home, VAULT_DOC);
    throw new RuntimeError("vault.wrong-key", place.t(`vault.wrongKey.${file.key.kind}`, { path }), {
      details: { path },
    });
  }
  if (!equal(file.seal, sealOf(key, file.entries))) throw damaged(place);
  vault.known = { id: file.key.id, key };
  return key;
}

function textOf(header: KeyHeader, key: Buffer, entries: VaultFile["entries"]): string {
  const file: VaultFile = {
    format: "margay-vault",
    version: 1,
    key: header,
    check: mac(key, "check", header.id),
    entries,
    seal: sealOf(key, entries),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
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
    throw damaged(vault.place); // the tag does not fit
  }
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
