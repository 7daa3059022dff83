/**
 * Which files of the workspace hold what strangers wrote: by path, by content and by the file itself, so that a copy and a
 * file under another name are known too. One line per fact in a file of the state directory, written before the file
 * itself is: a crash labels too much, never too little.
 */
import fs from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Clock, Millis } from "../contract/base.ts";
import type { Label } from "../contract/message.ts";
import type { Readers } from "../contract/people.ts";
import { isUntrusted } from "../lib/labels.ts";
import { FILE_MODE, makeDirectory } from "../machine/files/files.ts";
import { sha256 } from "../machine/system/hash.ts";
import { systemClock } from "../machine/system/clock.ts";
import { FILE_READERS, type FileReaders, openFileReaders } from "./file-readers.ts";
import { openFilePrints } from "./file-prints.ts";
import { apply, compact, type FileLabel, type Known, type Line, load, type Origin, UNREAD } from "./label-lines.ts";

/** More is not read to be compared by content. */
export const MAX_COMPARED_BYTES: number = 4 * 1024 * 1024;
/** Shorter contents are everybody's: `{}`, a line's end. */
export const MIN_COMPARED_BYTES = 16;

export interface FileLabels {
  /** Who may read them, whoever wrote them: nothing that is said of their writer changes it. Undefined: everybody who reads there. */
  readonly readers: FileReaders | undefined;
  /** Before a file counts as made of what only these may read. @param hash of all of it. */
  addReaders(path: string, hash: string | undefined, readers: readonly Readers[]): void;
  /** Whether nothing is labelled and nothing ever was. */
  readonly empty: boolean;
  /** Before a whole file is written, or a part of it changed. @param path real, relative to the workspace. @returns as `add`. */
  writing(path: string, data: Uint8Array, label: Label, part: "whole" | "part"): boolean;
  /**
   * A file that a stranger had a hand in. Written to disk unless it is known as such.
   * @param file.data absent: it is too large to compare. @param file.stats absent: it cannot be looked at.
   * @returns whether the path was nobody's but the operator's until now.
   */
  add(path: string, cause: string, file?: { readonly data?: Uint8Array; readonly stats?: fs.BigIntStats }): boolean;
  /** A labelled file was met: from now on it is known under any name. */
  met(path: string, stats: fs.BigIntStats): void;
  /** A stranger's text that lies in no file of its own, as a message of git. */
  print(path: string, text: Uint8Array): void;
  /** @returns the path of a stranger's text that is in this one. */
  findText(text: string): string | undefined;
  /** All that is in a directory, now and later. @returns as `add`. */
  addTree(directory: string, cause: string, stats?: fs.BigIntStats): boolean;
  /** A directory whose list of names is a text: they were chosen by a stranger, and are long or many. @returns as `add`. */
  addNames(directory: string): boolean;
  /** A git directory whose packs and messages may hold what strangers wrote. */
  addMixed(directory: string): void;
  /** A repository of that path came from there, and whose it is. Says nothing of its label. */
  addOrigin(repository: string, from: string, whose: Origin["whose"]): void;
  originOf(repository: string): Origin | undefined;
  /** The paths are no stranger's any more, or nothing is there. */
  drop(paths: readonly string[]): void;
  /**
   * A person vouches for a content: wherever it lies it is their own from now on, until a stranger has a hand in it again.
   * @param data absent: for the directory, or for a file too large to compare.
   */
  endorse(path: string, data?: Uint8Array): void;
  byPath(path: string): boolean;
  /** Whether the names in a directory are a stranger's text. */
  byNames(directory: string): boolean;
  /** @returns when the content of that hash was first known as a stranger's; undefined: it is not. */
  hashedAt(hash: string): Millis | undefined;
  byId(id: string): boolean;
  byBlob(name: string): boolean;
  /** The paths that are untrusted, trees left out. */
  paths(): readonly string[];
  /** Why a path or tree is untrusted, and since when. */
  labelOf(path: string): Pick<FileLabel, "cause" | "at"> | undefined;
  trees(): readonly string[];
  mixed(): readonly string[];
  names(): readonly string[];
}

interface Store {
  readonly directory: string;
  readonly file: string;
  readonly clock: Pick<Clock, "now">;
  readonly prints: ReturnType<typeof openFilePrints>;
  /** What the file says; undefined until somebody asks, and after a write that failed. */
  loaded: Known | undefined;
}

/** @param directory of the state; the file is `file-labels.jsonl` in it. Read at the first question. */
export function openFileLabels(directory: string, clock: Pick<Clock, "now"> = systemClock()): FileLabels {
  const file = join(directory, "file-labels.jsonl");
  const store: Store = { directory, file, clock, prints: openFilePrints(directory), loaded: undefined };
  const known = (): Known => knownTo(store);
  let opened: FileReaders | undefined;
  const readers = (isWritten = false): FileReaders | undefined => {
    if (opened === undefined && (isWritten || fs.existsSync(join(directory, FILE_READERS))))
      opened = openFileReaders(directory);
    return opened;
  };
  return {
    get readers() {
      return readers();
    },
    addReaders: (path, hash, given) => readers(true)?.writing(path, hash, given, "part"),
    writing: (path, data, label, part) => {
      readers(label.readers !== undefined)?.writing(path, contentOf(data).sha256, label.readers, part);
      // All of it is somebody's whom the operator trusts; a change leaves the rest as it was.
      if (!isUntrusted(label) && part === "whole") {
        if (known().paths.has(path)) write(store, { gone: [path] });
        return false;
      }
      if (!isUntrusted(label) && !known().paths.has(path)) return false;
      return add(store, path, "written after a stranger's text was read", { data });
    },
    add: (path, cause, found) => add(store, path, cause, found),
    met: (path, stats) => {
      const before = known().paths.get(path);
      if (before !== undefined && before.id !== fileId(stats)) label(store, { ...before, id: fileId(stats) });
    },
    print: store.prints.add,
    findText: store.prints.find,
    addTree: (tree, cause, stats) => {
      if (known().trees.has(tree)) return false;
      write(store, { tree, cause, ...(stats !== undefined && { id: fileId(stats) }) });
      return true;
    },
    addNames: (names) => {
      if (known().names.has(names)) return false;
      write(store, { names });
      return true;
    },
    addMixed: (mixed) => {
      if (!known().mixed.has(mixed)) write(store, { mixed });
    },
    addOrigin: (origin, from, whose) => {
      const before = known().origins.get(origin);
      if (before?.from !== from || before.whose !== whose) write(store, { origin, from, whose });
    },
    originOf: (repository) => known().origins.get(repository),
    drop: (paths) => {
      const gone = paths.filter((path) => known().paths.has(path) || known().trees.has(path));
      if (gone.length > 0) write(store, { gone });
    },
    endorse: (endorsed, data) => {
      const { sha256: hash, blobs = [] } = data === undefined ? {} : contentOf(data);
      write(store, { endorsed, contents: [...(hash === undefined ? [] : [hash]), ...blobs] });
      if (data !== undefined) store.prints.forget(data);
    },
    get empty() {
      const { paths, hashes, trees, names } = known();
      return paths.size === 0 && hashes.size === 0 && trees.size === 0 && names.size === 0;
    },
    byPath: (path) => known().paths.has(path) || isInTree(known(), path),
    byNames: (named) => known().names.has(named),
    hashedAt: (hash) => known().hashes.get(hash),
    byId: (id) => known().ids.has(id),
    byBlob: (name) => known().blobs.has(name),
    paths: () => [...known().paths.keys()],
    labelOf: (path) => {
      const { paths, trees } = known();
      const tree = trees.get(path);
      return paths.get(path) ?? (tree === undefined ? undefined : { cause: tree.cause });
    },
    trees: () => [...known().trees.keys()],
    mixed: () => [...known().mixed],
    names: () => [...known().names],
  };
}

function knownTo(store: Store): Known {
  return (store.loaded ??= load(store.file));
}

function write(store: Store, line: Line): void {
  apply(knownTo(store), line);
  makeDirectory(store.directory);
  try {
    fs.appendFileSync(store.file, `${JSON.stringify(line)}\n`, { mode: FILE_MODE });
    compact(store.file, knownTo(store));
  } catch (error) {
    store.loaded = undefined; // a full disk may have cut the line: the file is read again
    throw error;
  }
}

function label(store: Store, next: FileLabel): void {
  const before = knownTo(store).paths.get(next.path);
  if (before !== undefined && before.sha256 === next.sha256 && before.id === next.id) return;
  write(store, { ...next, at: next.at ?? store.clock.now() });
}

function add(store: Store, ...[path, cause, { data, stats } = {}]: Parameters<FileLabels["add"]>): boolean {
  if (data !== undefined) store.prints.add(path, data);
  const content = data === undefined ? {} : contentOf(data);
  const { paths, trees } = knownTo(store);
  const isNew = !paths.has(path) && !isInTree({ trees }, path);
  label(store, { path, sha256: UNREAD, ...content, ...(stats !== undefined && { id: fileId(stats) }), cause });
  return isNew;
}

function isInTree({ trees }: Pick<Known, "trees">, path: string): boolean {
  if (trees.size === 0) return false;
  for (let at = path.length; at > 0; at = path.lastIndexOf("/", at - 1)) if (trees.has(path.slice(0, at))) return true;
  return false;
}

/** What a content is known by: nothing where it is too short or too long. */
export function contentOf(data: Uint8Array): Partial<Pick<FileLabel, "sha256" | "blobs">> {
  if (data.length < MIN_COMPARED_BYTES || data.length > MAX_COMPARED_BYTES) return {};
  return { sha256: sha256(data), blobs: [blobName("sha1", data), blobName("sha256", data)] };
}

/** @see git, "gitformat-loose": a blob is named by the hash of `blob LENGTH\0` and its content. */
function blobName(algorithm: string, data: Uint8Array): string {
  return createHash(algorithm).update(`blob ${data.length}\0`).update(data).digest("hex");
}

/** The file, whatever its name. The birth time is needed: ext4 gives the number of a removed file to the next one. */
export function fileId(stats: fs.BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}
