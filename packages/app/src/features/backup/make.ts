/** One backup: what is new goes into the store, then the snapshot that names all of it. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { hostname } from "node:os";
import { relative } from "node:path";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isInside, isMissing } from "@margay/core/internal";
import { isLog, type Cut } from "./cut.ts";
import { chunksOf, FILE_CHUNKS } from "./store/chunker.ts";
import { temporaryIn } from "./temporary.ts";
import { readEntries, snapshotsOf, writeEntries, type Entry, type Snapshot } from "./store/snapshot.ts";
import type { Store } from "./store/store.ts";
import { isAlwaysKept, walkHome, walkWorkspace, type Found } from "./walk.ts";

export interface Making {
  readonly home: string;
  /** Absent: it stays where it is, and is no part of it. */
  readonly workspace?: string;
  readonly mode: Snapshot["workspace"];
  /** Of the workspace; beyond it the largest files are named alone. */
  readonly workspaceBytes: number;
  readonly cut: Cut;
  readonly live: boolean;
  readonly now: number;
  /** Of a move: the home answers no more after it. */
  readonly move?: string;
  /** Of a move to another folder: there is no copy of them afterwards, they go along. */
  readonly withTemporary?: boolean;
  readonly signal: AbortSignal;
  readonly progress: (files: number, bytes: number) => void;
}

export interface Made {
  readonly name: string;
  readonly snapshot: Snapshot;
  /** Files that are named alone, since the workspace is larger than it may be. */
  readonly unkept: number;
}

const PART_BYTES = 4 * 1024 * 1024;

/** @throws the file system's error: the snapshots before stand. */
export async function makeSnapshot(store: Store, making: Making): Promise<Made> {
  const { home, workspace = "", signal } = making;
  const before = await snapshotsOf(store);
  const known = await knownEntries(store, before[0]?.snapshot);
  const entries: Entry[] = [];
  let bytes = 0;
  const files = workspace !== "" && existsSync(workspace) ? [...walkWorkspace(workspace, making.mode)] : [];
  const kept = smallest(files, making.workspaceBytes);
  const isLeftOut = making.withTemporary === true ? () => false : await temporaryIn(home);
  for (const one of [...walkHome(home, workspace), ...kept]) {
    signal.throwIfAborted();
    if (one.entry.path.startsWith("home/") && isLeftOut(one.entry.path.slice("home/".length))) continue;
    const entry = await keep(store, making, known, one);
    if (entry === undefined) continue;
    entries.push(entry);
    bytes += entry.bytes;
    making.progress(entries.length, bytes);
  }
  const whole = withoutRemoved(home, entries);
  const list = await writeEntries(store, whole);
  const added = await store.flush();
  const snapshot: Snapshot = {
    version: 1,
    at: making.now,
    host: hostname(),
    home,
    ...(workspace !== "" && isInside(home, workspace) && { inside: relative(home, workspace) }),
    workspace: making.mode,
    live: making.live,
    ...(making.move !== undefined && { move: making.move }),
    ...auditHead(making.cut),
    files: whole.filter(({ kind }) => kind === "file").length,
    bytes: whole.reduce((sum, entry) => sum + entry.bytes, 0),
    added,
    list,
  };
  const name = await store.writeSnapshot(Buffer.from(JSON.stringify(snapshot)));
  await store.writeList([...new Set([...before.map((one) => one.name), ...store.listed, name])]);
  return { name, snapshot, unkept: files.filter(({ file }, index) => file !== kept[index]?.file).length };
}

/** Memory, skills and what is in every prompt first, then the smallest: those beyond the bound are named alone. */
function smallest(found: readonly Found[], bytes: number): readonly Found[] {
  const weight = ({ entry }: Found): number => (isAlwaysKept(entry.path) ? -1 : entry.bytes);
  const kept = new Set<Found>();
  let sum = 0;
  for (const one of found.toSorted((a, b) => weight(a) - weight(b))) {
    if (one.entry.kind === "file" && one.file !== "") sum += one.entry.bytes;
    if (sum <= bytes || isAlwaysKept(one.entry.path)) kept.add(one);
  }
  return found.map((one) => (kept.has(one) || one.entry.kind !== "file" ? one : { ...one, file: "" }));
}

/** Where the audit log ended: a restored one ends there. */
function auditHead({ heads }: Cut): Pick<Snapshot, "audit"> {
  const head = heads["audit/head.json"];
  if (head === undefined) return {};
  const found = /"hash":"([0-9a-f]{64})","n":(\d+)/.exec(Buffer.from(head, "base64").toString("utf8"));
  return found === null ? {} : { audit: { n: Number(found[2]), hash: found[1] ?? "" } };
}

/** A conversation that was removed meanwhile took its files with it. */
function withoutRemoved(home: string, entries: readonly Entry[]): readonly Entry[] {
  const folder = join(home, "sessions");
  const now = new Set(existsSync(folder) ? readdirSync(folder) : []);
  const journal = /^home\/sessions\/(.+\.journal)$/;
  return entries.filter(({ path }) => {
    const [, name] = journal.exec(path) ?? [];
    return name === undefined || now.has(name);
  });
}

async function knownEntries(store: Store, newest: Snapshot | undefined): Promise<ReadonlyMap<string, Entry>> {
  const entries = newest && (await readEntries(store, newest));
  return new Map(
    (entries ?? [])
      .filter(({ chunks }) => chunks?.every((id) => store.has(id)) === true)
      .map((entry) => [entry.path, entry]),
  );
}

/** @returns undefined for a file that is gone or began after the moment. */
async function keep(
  store: Store,
  { home, cut }: Making,
  known: ReadonlyMap<string, Entry>,
  { entry, file }: Found,
): Promise<Entry | undefined> {
  if (entry.kind !== "file" || file === "") return entry;
  const below = isInside(home, file) && entry.path.startsWith("home/") ? entry.path.slice("home/".length) : "";
  const head = cut.heads[below];
  const log = cut.logs[below];
  if (log === undefined && isLog(below)) return undefined;
  const same = known.get(entry.path);
  if (head === undefined && same?.stamp === entry.stamp && (log?.[0] ?? entry.bytes) === entry.bytes) {
    if (same !== undefined) return { ...same, mode: entry.mode };
  }
  const hash = createHash("sha256");
  const chunks: string[] = [];
  let bytes = 0;
  try {
    const parts = head === undefined ? partsOf(file, log) : one(Buffer.from(head, "base64"));
    for await (const chunk of chunksOf(parts, store.keys.cutting, FILE_CHUNKS)) {
      hash.update(chunk);
      bytes += chunk.length;
      chunks.push(await store.put(chunk));
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const { stamp: _stamp, ...rest } = entry;
  const isWhole = bytes === entry.bytes && head === undefined;
  return { ...(isWhole ? entry : rest), bytes, hash: hash.digest("hex"), chunks };
}

// oxlint-disable-next-line require-await -- a stream is asynchronous, bytes are not
async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** @param log Of a file that grows: up to there, and of that whole lines. One that was written anew since then is read to its end. */
async function* partsOf(file: string, log: Cut["logs"][string] | undefined): AsyncGenerator<Uint8Array> {
  await using handle = await open(file, "r");
  let end = Number.POSITIVE_INFINITY;
  if (log !== undefined) {
    const { ino, size } = await handle.stat();
    end = await lineEnd(handle, ino === log[1] ? log[0] : size);
  }
  for (let at = 0; at < end;) {
    const part = Buffer.alloc(Math.min(PART_BYTES, end - at));
    const { bytesRead } = await handle.read(part, 0, part.length, at);
    if (bytesRead === 0) return;
    yield part.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Behind the last newline before `length`. */
async function lineEnd(handle: Awaited<ReturnType<typeof open>>, length: number): Promise<number> {
  for (let to = length; to > 0;) {
    const part = Buffer.alloc(Math.min(65_536, to));
    const { bytesRead } = await handle.read(part, 0, part.length, to - part.length);
    const at = part.subarray(0, bytesRead).lastIndexOf(10);
    if (at >= 0) return to - part.length + at + 1;
    to -= part.length;
  }
  return 0;
}
