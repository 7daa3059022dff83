/** A backup that is open: chunks by name in packs, the index of them, snapshots, and the list of all snapshots. */
import { RuntimeError } from "@margay/core";
import { createKeys, derived, nameOf, openKeys, type Derive, type Keys } from "./keys.ts";
import { contentOf, makePack, placesIn, type Content, type Place } from "./packs.ts";
import { seal, unseal } from "./seal.ts";
import type { BackupTarget, Folder } from "./target.ts";

/** A file of the target that is not as it was written. */
export interface Flaw {
  readonly what: "missing" | "damaged";
  readonly path: string;
}

export interface Store {
  readonly target: BackupTarget;
  readonly keys: Keys;
  /** Found when it was opened; more as it is read. */
  readonly flaws: Flaw[];
  /** By name of the pack; packs that no index names are there too. */
  readonly packs: Map<string, Content>;
  readonly places: Map<string, Place>;
  /** Packs that no index names: of a killed run, unless a snapshot needs them. */
  readonly unindexed: ReadonlyMap<string, Content>;
  /** Names of all snapshots that the list has. */
  readonly listed: ReadonlySet<string>;
  has(id: string): boolean;
  /** @returns its name. Kept when `flush` has resolved. */
  put(plain: Uint8Array): Promise<string>;
  /** @returns undefined when it is missing or was changed. */
  get(id: string): Promise<Uint8Array | undefined>;
  /** Packs and their index are on the disk then. @returns bytes written since the last one. */
  flush(): Promise<number>;
  /** Sealed under its own name. */
  writeSnapshot(plain: Uint8Array): Promise<string>;
  readSnapshot(name: string): Promise<Uint8Array | undefined>;
  writeList(names: readonly string[]): Promise<void>;
  /** Into a pack that is written next; one that cannot be read is forgotten. */
  move(id: string): Promise<void>;
  /** These packs go, and all indexes but one of those that stay, which is there first. @returns bytes that are free. */
  drop(packs: ReadonlySet<string>): Promise<number>;
  /** Key files that are not as the one that was opened. */
  mendKeys(): Promise<void>;
}

export const PACK_BYTES = 16 * 1024 * 1024;
const CACHED_PACKS = 4;
export const KEY_FILES = ["key", "key.copy"] as const;
export const LIST_FILE = "list";

interface Open {
  readonly target: BackupTarget;
  readonly keys: Keys;
  readonly flaws: Flaw[];
  readonly packs: Map<string, Content>;
  readonly places: Map<string, Place>;
  readonly unindexed: Map<string, Content>;
  readonly cache: Map<string, Uint8Array | undefined>;
  waiting: (readonly [string, Uint8Array])[];
  waitingBytes: number;
  written: number;
  readonly own: Map<string, Uint8Array>;
}

/**
 * @param create Makes one where there is none.
 * @throws RuntimeError `backup.missing`, `backup.wrong-key`, `backup.damaged` when no key is whole.
 */
export async function openStore(
  target: BackupTarget,
  passphrase: string,
  { create = false, derive = derived }: { readonly create?: boolean; readonly derive?: Derive } = {},
): Promise<Store> {
  const flaws: Flaw[] = [];
  const opening: Opening = { target, passphrase, derive };
  const keys = (await keysIn(opening, flaws)) ?? (await created(opening, create, flaws));
  const open: Open = {
    target,
    keys,
    flaws,
    packs: new Map(),
    places: new Map(),
    unindexed: new Map(),
    cache: new Map(),
    waiting: [],
    waitingBytes: 0,
    written: 0,
    own: new Map(),
  };
  await loadIndex(open);
  const listed = new Set(await readList(open));
  const snapshots = new Set((await target.list("snapshots")).map(({ name }) => name));
  for (const name of listed) if (!snapshots.has(name)) flaws.push({ what: "missing", path: `snapshots/${name}` });
  return {
    target,
    keys,
    flaws,
    packs: open.packs,
    places: open.places,
    unindexed: open.unindexed,
    listed,
    has: (id) => open.places.has(id) || open.own.has(id),
    put: (plain) => put(open, plain),
    get: (id) => get(open, id),
    flush: () => flush(open),
    writeSnapshot: (plain) => writeNamed(open, "snapshots", plain),
    readSnapshot: (name) => readNamed(open, "snapshots", name),
    writeList: (names) => target.write(LIST_FILE, sealList(keys, names)),
    move: (id) => move(open, id),
    drop: (packs) => drop(open, packs),
    mendKeys: () => mendKeys(opening),
  };
}

interface Opening {
  readonly target: BackupTarget;
  readonly passphrase: string;
  readonly derive: Derive;
}

async function keysIn({ target, passphrase, derive }: Opening, flaws: Flaw[]): Promise<Keys | undefined> {
  let keys: Keys | undefined;
  for (const path of KEY_FILES) {
    const bytes = await target.read(path);
    const found = bytes && (keys ?? (await openKeys(bytes, passphrase, derive)));
    const isWhole = found !== undefined && bytes !== undefined && (await isKeyFile(bytes, target, path));
    if (!isWhole) flaws.push({ what: bytes === undefined ? "missing" : "damaged", path });
    keys ??= found;
  }
  return keys;
}

/** Both are the same: whichever differs from what was opened is the damaged one. */
async function isKeyFile(bytes: Uint8Array, target: BackupTarget, path: string): Promise<boolean> {
  if (path === KEY_FILES[0]) return true;
  const first = await target.read(KEY_FILES[0]);
  return first === undefined || Buffer.compare(first, bytes) === 0;
}

async function created({ target, passphrase, derive }: Opening, create: boolean, flaws: Flaw[]): Promise<Keys> {
  const isAnything = flaws.some(({ what }) => what === "damaged") || (await target.list("packs")).length > 0;
  if (isAnything)
    throw new RuntimeError(
      "backup.damaged",
      `Both key files of ${target.name} are missing or damaged: without one of them nothing in it can be read. Restore \`key\` from a copy of the target.`,
    );
  if (!create)
    throw new RuntimeError(
      "backup.missing",
      `There is no backup in ${target.name}. Name the folder that \`margay backup\` wrote to.`,
    );
  const { keys, file } = await createKeys(passphrase, derive);
  // The list is there before the key: a backup with a key has a list.
  await target.write(LIST_FILE, sealList(keys, []));
  for (const path of [...KEY_FILES].toReversed()) await target.write(path, file);
  flaws.length = 0;
  return keys;
}

async function loadIndex(open: Open): Promise<void> {
  const there = await open.target.list("packs");
  for (const { name } of await open.target.list("index")) {
    const bytes = await readNamed(open, "index", name);
    if (bytes === undefined) continue; // noted; its packs say themselves what they hold
    const packs = JSON.parse(Buffer.from(bytes).toString("utf8")) as Record<string, Content>; // sealed by us
    for (const [pack, content] of Object.entries(packs)) known(open, pack, content);
  }
  const present = new Set(there.map(({ name }) => name));
  for (const name of open.packs.keys())
    if (!present.has(name)) open.flaws.push({ what: "missing", path: `packs/${name}` });
  for (const { name } of there) {
    if (open.packs.has(name)) continue;
    const bytes = await open.target.read(`packs/${name}`);
    const content = bytes && contentOf(open.keys.content, name, bytes);
    if (content === undefined) open.flaws.push({ what: "damaged", path: `packs/${name}` });
    else {
      known(open, name, content);
      open.unindexed.set(name, content);
    }
  }
  for (const [id, { pack }] of open.places) if (!present.has(pack)) open.places.delete(id);
}

function known(open: Open, pack: string, content: Content): void {
  open.packs.set(pack, content);
  for (const [id, place] of placesIn(pack, content)) open.places.set(id, place);
}

async function readList(open: Open): Promise<readonly string[]> {
  const bytes = await open.target.read(LIST_FILE);
  const plain = bytes && unseal(open.keys.content, LIST_FILE, bytes);
  if (plain !== undefined) return JSON.parse(plain.toString("utf8")) as readonly string[]; // sealed by us
  open.flaws.push({ what: bytes === undefined ? "missing" : "damaged", path: LIST_FILE });
  return [];
}

function sealList(keys: Keys, names: readonly string[]): Uint8Array {
  return seal(keys.content, LIST_FILE, Buffer.from(JSON.stringify(names)));
}

async function put(open: Open, plain: Uint8Array): Promise<string> {
  const id = nameOf(open.keys, "chunk", plain);
  if (open.places.has(id) || open.own.has(id)) return id;
  const sealed = seal(open.keys.content, `chunk:${id}`, plain);
  open.own.set(id, sealed);
  open.waiting.push([id, sealed]);
  open.waitingBytes += sealed.length;
  if (open.waitingBytes >= PACK_BYTES) await writePack(open);
  return id;
}

async function writePack(open: Open): Promise<void> {
  if (open.waiting.length === 0) return;
  const { name, bytes, content } = makePack(open.keys.content, open.waiting);
  await open.target.write(`packs/${name}`, bytes);
  known(open, name, content);
  open.unindexed.set(name, content);
  open.written += bytes.length;
  open.waiting = [];
  open.waitingBytes = 0;
  open.own.clear();
}

async function get(open: Open, id: string): Promise<Uint8Array | undefined> {
  const place = open.places.get(id);
  const sealed = open.own.get(id) ?? (place && (await cut(open, place)));
  const plain = sealed && unseal(open.keys.content, `chunk:${id}`, sealed);
  return plain !== undefined && nameOf(open.keys, "chunk", plain) === id ? plain : undefined;
}

async function cut(open: Open, { pack, at, bytes }: Place): Promise<Uint8Array | undefined> {
  if (!open.cache.has(pack)) {
    const [oldest] = open.cache.keys();
    if (oldest !== undefined && open.cache.size >= CACHED_PACKS) open.cache.delete(oldest);
    open.cache.set(pack, await open.target.read(`packs/${pack}`));
  }
  return open.cache.get(pack)?.subarray(at, at + bytes);
}

async function flush(open: Open): Promise<number> {
  await writePack(open);
  if (open.unindexed.size > 0) {
    await writeIndex(open, open.unindexed);
    open.unindexed.clear();
  }
  const { written } = open;
  open.written = 0;
  return written;
}

async function move(open: Open, id: string): Promise<void> {
  const plain = await get(open, id);
  open.places.delete(id);
  if (plain !== undefined) await put(open, plain);
}

async function drop(open: Open, packs: ReadonlySet<string>): Promise<number> {
  await flush(open);
  const { target } = open;
  for (const pack of packs) open.packs.delete(pack);
  for (const [id, { pack }] of open.places) if (packs.has(pack)) open.places.delete(id);
  const index = await writeIndex(open, open.packs);
  for (const { name } of await target.list("index")) if (name !== index) await target.remove(`index/${name}`);
  let freed = 0;
  for (const { name, bytes } of await target.list("packs")) {
    if (open.packs.has(name)) continue;
    await target.remove(`packs/${name}`);
    open.cache.delete(name);
    freed += bytes;
  }
  return freed;
}

async function mendKeys({ target, passphrase, derive }: Opening): Promise<void> {
  for (const path of KEY_FILES) {
    const bytes = await target.read(path);
    if (bytes === undefined || (await openKeys(bytes, passphrase, derive)) === undefined) continue;
    for (const other of KEY_FILES) if (other !== path) await target.write(other, bytes);
    return;
  }
}

function writeIndex(open: Open, packs: ReadonlyMap<string, Content>): Promise<string> {
  return writeNamed(open, "index", Buffer.from(JSON.stringify(Object.fromEntries(packs))));
}

async function writeNamed(open: Open, folder: Folder, plain: Uint8Array): Promise<string> {
  const name = nameOf(open.keys, folder, plain);
  const sealed = seal(open.keys.content, `${folder}:${name}`, plain);
  await open.target.write(`${folder}/${name}`, sealed);
  open.written += sealed.length;
  return name;
}

async function readNamed(open: Open, folder: Folder, name: string): Promise<Uint8Array | undefined> {
  const bytes = await open.target.read(`${folder}/${name}`);
  const plain = bytes && unseal(open.keys.content, `${folder}:${name}`, bytes);
  if (plain !== undefined && nameOf(open.keys, folder, plain) === name) return plain;
  open.flaws.push({ what: bytes === undefined ? "missing" : "damaged", path: `${folder}/${name}` });
  return undefined;
}
