// A workspace of a few names, and a model beside it that follows by file what came from a stranger, as the kernel follows data.
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { createCommandLabels, type CommandLabels } from "../../src/labels/command-labels.ts";
import { openFileLabels, type FileLabels } from "../../src/labels/file-labels.ts";
import type { FoundChange } from "../../src/labels/new-entries.ts";
import { type FileState, stampOf } from "../../src/undo/file-state.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { STRANGE } from "./bench.ts";

/** The last one is nobody's but that of whoever adds something to a history. */
export const NAMES = ["a", "b", "c", "d/e", "d/f", "x"] as const;
export type Name = (typeof NAMES)[number];
/** Made whole, of more files than get a line each. */
const TREE = "t";
const IN_TREE = 501;
/** More than is read to be compared. */
const LARGE_BYTES = 4 * 1024 * 1024 + 1;

export type OnOne = "read" | "hidden" | "touch" | "remove" | "own" | "short" | "large" | "stat" | "unpack" | "spread";
export type OnTwo =
  | "move"
  | "copy"
  | "cut"
  | "upper"
  | "append"
  | "link"
  | "symbolic"
  | "encode"
  | "decode"
  | "squeeze"
  | "unsqueeze"
  | "pack"
  | "gather";
export type Operation =
  | { readonly do: OnOne; readonly at: Name }
  | { readonly do: OnTwo; readonly at: Name; readonly to: Name };

export interface World {
  readonly workspace: string;
  readonly state: string;
  readonly labels: FileLabels;
  readonly commands: CommandLabels;
  /** Inode numbers of files that hold a stranger's data. */
  readonly strange: Set<bigint>;
  /** Of those that margay has met since they were labelled: it knows them under any name. */
  readonly met: Set<bigint>;
  /** Contents that margay has labelled and can compare. */
  readonly contents: Set<string>;
  seen: Map<string, FileState>;
  texts: number;
  /** The tree was made. */
  spread: boolean;
}

const roots = new Map<string, string>();
/** Memory is ten times as fast, but only a disk gives the number of a removed file to the next one. */
export function rootOn(where: "disk" | "memory"): string {
  const parent = where === "memory" && fs.existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const known = roots.get(parent);
  if (known !== undefined) return known;
  const root = fs.realpathSync(fs.mkdtempSync(join(parent, "margay-laws-")));
  roots.set(parent, root);
  return root;
}

export function removeRoots(): void {
  for (const root of roots.values()) fs.rmSync(root, { recursive: true, force: true });
  roots.clear();
}

export function createWorld(root: string, number: number): World {
  const workspace = join(root, `w${number}`);
  const state = join(root, `s${number}`);
  for (const directory of [workspace, join(workspace, "d"), state]) fs.mkdirSync(directory);
  const labels = openFileLabels(state);
  return {
    workspace,
    state,
    labels,
    commands: createCommandLabels({ workspace, clock: systemClock(), labels }),
    strange: new Set(),
    met: new Set(),
    contents: new Set(),
    seen: new Map(),
    texts: 0,
    spread: false,
  };
}

/** Sentences of their own, long enough to be known again. */
export function textOf(world: World, whose: string): string {
  world.texts += 1;
  return `${sha256(`${whose} ${world.texts} 1`)} ${sha256(`${whose} ${world.texts} 2`)} ${sha256(`${whose} ${world.texts} 3`)}\n`;
}

function pathsOf({ workspace, spread }: World): readonly string[] {
  if (!spread) return NAMES;
  return [...NAMES, TREE, ...fs.readdirSync(join(workspace, TREE)).map((name) => `${TREE}/${name}`)];
}

export function look(world: World): Map<string, FileState> {
  const found = new Map<string, FileState>();
  for (const path of pathsOf(world)) {
    const at = join(world.workspace, path);
    const stats = fs.lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (stats.isSymbolicLink()) found.set(path, { kind: "link", target: fs.readlinkSync(at) });
    else if (stats.isDirectory()) found.set(path, { kind: "directory" });
    else found.set(path, { kind: "file", size: Number(stats.size), stamp: stampOf(stats) });
  }
  return found;
}

export function changesOf(world: World, now: ReadonlyMap<string, FileState>): readonly FoundChange[] {
  const absent: FileState = { kind: "absent" };
  return [...new Set([...world.seen.keys(), ...now.keys()])].flatMap((path) => {
    const [before, after] = [world.seen.get(path) ?? absent, now.get(path) ?? absent];
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
  });
}

/** A file tool puts a new file of a stranger's in place, and says so before. */
export function savePage(world: World, at: Name, size: "long" | "short" | "large"): void {
  const text = textOf(world, "stranger");
  const data = size === "long" ? text : size === "short" ? text.slice(0, 12) : text.padEnd(LARGE_BYTES, " ");
  world.labels.writing(at, Buffer.from(data), STRANGE, "whole");
  const path = join(world.workspace, at);
  replace(world, path, data);
  world.seen = new Map([...world.seen, ...[...look(world)].filter(([one]) => one === at)]); // announced
  remember(world);
}

/** What came by the network, in a file that a command made. */
export function download(world: World, at: Name): void {
  replace(world, join(world.workspace, at), textOf(world, "network"));
}

function replace(world: World, path: string, data: string): void {
  remove(world, path);
  fs.writeFileSync(path, data);
  world.strange.add(fs.statSync(path, { bigint: true }).ino);
}

function remove(world: World, path: string): void {
  const stats = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return;
  fs.rmSync(path, { recursive: true });
  if (!stats.isFile() || stats.nlink > 1n) return;
  world.strange.delete(stats.ino); // the number is free, and comes again
  world.met.delete(stats.ino);
}

/** All that is labelled by now is known by its content. */
export function remember(world: World): void {
  for (const path of NAMES) {
    const at = join(world.workspace, path);
    const stats = fs.lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (stats?.isFile() === true && world.strange.has(stats.ino) && stats.size >= 16n && stats.size < LARGE_BYTES)
      world.contents.add(sha256(readUnseen(at)));
  }
}

/** Not as a program: it does not move the access time. */
function readUnseen(path: string): Buffer {
  const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOATIME);
  try {
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** What is labelled and lies there is known under any name from now on. */
export function meet(world: World): void {
  for (const path of world.labels.paths()) {
    const stats = fs.lstatSync(join(world.workspace, path), { bigint: true, throwIfNoEntry: false });
    if (stats?.isFile() === true) world.met.add(stats.ino);
  }
}

/** @returns whether a stranger's data was read; the file written, if one was, holds it too. */
export function perform(world: World, one: Operation, by: "command" | "person" = "command"): boolean {
  try {
    return "to" in one ? performOnTwo(world, one, by) : performOnOne(world, one);
  } catch {
    return false; // as commands fail: nothing is there, something is there already
  }
}

function inodeOf(path: string): bigint {
  return fs.statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? 0n;
}

function write({ strange }: World, path: string, data: Uint8Array | string, isStrange: boolean, flag = "w"): void {
  const stays = flag === "a" && strange.has(inodeOf(path));
  fs.writeFileSync(path, data, { flag });
  if (isStrange || stays) strange.add(inodeOf(path));
  else strange.delete(inodeOf(path));
}

function performOnOne(world: World, one: Extract<Operation, { readonly do: OnOne }>): boolean {
  const at = join(world.workspace, one.at);
  const strange = world.strange.has(inodeOf(at));
  switch (one.do) {
    case "read":
      fs.readFileSync(at);
      return strange;
    case "hidden":
      fs.readFileSync(at);
      fs.utimesSync(at, 1, fs.statSync(at).mtime);
      return strange;
    case "touch":
      fs.utimesSync(at, 1, fs.statSync(at).mtime);
      return false;
    case "stat":
      fs.lstatSync(at);
      return false;
    case "remove":
      remove(world, at);
      return false;
    case "own":
      write(world, at, textOf(world, "own"), false);
      return false;
    case "short":
      write(world, at, textOf(world, "own").slice(0, 9), false);
      return false;
    case "large":
      fs.truncateSync(at, LARGE_BYTES); // it grows, with what is in it
      return false;
    case "unpack": {
      const packed = JSON.parse(fs.readFileSync(at, "utf8")) as Record<Name, string>;
      for (const [name, data] of Object.entries(packed))
        write(world, join(world.workspace, name), Buffer.from(data, "base64"), strange);
      return strange;
    }
    case "spread": {
      const data = fs.readFileSync(at);
      const tree = join(world.workspace, TREE);
      fs.mkdirSync(tree);
      world.spread = true;
      for (let file = 0; file < IN_TREE; file += 1) write(world, join(tree, `f${file}`), data, strange);
      return strange;
    }
  }
}

function performOnTwo(
  world: World,
  one: Extract<Operation, { readonly do: OnTwo }>,
  by: "command" | "person",
): boolean {
  const at = join(world.workspace, one.at);
  const to = join(world.workspace, one.to);
  const strange = world.strange.has(inodeOf(at));
  switch (one.do) {
    case "move":
      if (fs.lstatSync(at).isSymbolicLink() || one.at === one.to) return false;
      if (inodeOf(at) !== inodeOf(to)) remove(world, to);
      fs.renameSync(at, to);
      if (by === "person") keepIfKnown(world, to, { before: false });
      return false;
    case "link":
      fs.linkSync(at, to);
      return false;
    case "symbolic":
      fs.symlinkSync(at, to);
      return false;
    case "pack": {
      const names = NAMES.filter((name) =>
        fs.statSync(join(world.workspace, name), { throwIfNoEntry: false })?.isFile(),
      );
      const read = names.map((name) => join(world.workspace, name));
      const some = read.some((path) => world.strange.has(inodeOf(path)));
      const packed = names.map((name, index) => [name, fs.readFileSync(read[index] ?? "").toString("base64")]);
      write(world, to, JSON.stringify(Object.fromEntries(packed)), some);
      return some;
    }
    case "gather": {
      const from = join(world.workspace, TREE, "f7");
      const whole = world.strange.has(inodeOf(from));
      write(world, to, fs.readFileSync(from), whole);
      return whole;
    }
    default: {
      const before = world.strange.has(inodeOf(to));
      const data = rewritten(one.do, fs.readFileSync(at));
      write(world, to, data, strange, one.do === "append" ? "a" : "w");
      if (by === "person" && strange)
        keepIfKnown(world, to, { before: before && one.do === "append", bytes: data.length });
      return strange;
    }
  }
}

function rewritten(how: Exclude<OnTwo, "move" | "link" | "symbolic" | "pack" | "gather">, data: Buffer): Buffer {
  switch (how) {
    case "copy":
    case "append":
      return data;
    case "cut":
      return data.subarray(0, 9);
    case "upper":
      return Buffer.from(data.toString("latin1").toUpperCase(), "latin1");
    case "encode":
      return Buffer.from(data.toString("base64"));
    case "decode":
      return Buffer.from(data.toString("latin1"), "base64");
    case "squeeze":
      return gzipSync(data, { level: 1 });
    case "unsqueeze":
      return gunzipSync(data);
  }
}

/** Of a person's work only so much is promised: the file itself once it was met, a content as it was, a text within another. */
function keepIfKnown(
  world: World,
  path: string,
  { before, bytes }: { readonly before: boolean; readonly bytes?: number },
): void {
  const inode = inodeOf(path);
  if (before || world.met.has(inode)) return;
  const data = readUnseen(path);
  const isText = (bytes ?? data.length) >= 150 && data.length <= 1024 * 1024 && !data.includes(0);
  if (!isText && !world.contents.has(sha256(data))) world.strange.delete(inode);
}

/** By its path or through a link. */
export function isLabelled({ workspace, labels }: World, at: string): boolean {
  if (labels.byPath(at)) return true;
  if (labels.empty) return false;
  const path = join(workspace, at);
  try {
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return false;
    return labels.byPath(fs.realpathSync(path).slice(workspace.length + 1));
  } catch {
    return false;
  }
}

/** Every file that holds a stranger's data, but is not labelled. */
export function lost(world: World): readonly string[] {
  const { workspace, labels, strange } = world;
  if (strange.size === 0) return [];
  return pathsOf(world).filter((path) => {
    const stats = fs.lstatSync(join(workspace, path), { bigint: true, throwIfNoEntry: false });
    return stats?.isFile() === true && strange.has(stats.ino) && !labels.byPath(path);
  });
}

/** What time the file system gives to a file that is written now, in nanoseconds. */
export function fileTime(directory: string): bigint {
  const path = join(directory, "now");
  fs.writeFileSync(path, "");
  return fs.statSync(path, { bigint: true }).ctimeNs;
}
