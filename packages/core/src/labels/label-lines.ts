/** The file of labels: one fact a line, and what is known when all of them are read. */
import fs from "node:fs";
import type { Millis } from "../contract/base.ts";
import { readIfExists, replaceFile } from "../machine/files/files.ts";

/** What is known of a file that strangers had a hand in. */
export interface FileLabel {
  /** Real, relative to the workspace. */
  readonly path: string;
  /** Of the content; `-`: too large or too short to be known again by it. */
  readonly sha256: string;
  /** The names git gives to that content. */
  readonly blobs?: readonly string[];
  /** The file itself, whatever its name: see `fileId`. */
  readonly id?: string;
  /** Where it came from, for people: `read notes/p.md`, `network example.org`. */
  readonly cause?: string;
  readonly at?: Millis;
}

/** Where a repository came from, and whose it is: `unknown` until a person says so, `margay` for what a command cloned. */
export interface Origin {
  readonly from: string;
  readonly whose: "unknown" | "margay" | "stranger";
}

export type Line =
  | FileLabel
  | ({ readonly origin: string } & Origin)
  /** Of the first version: the path is trusted again. */
  | { readonly path: string }
  /** `id` as of a file. */
  | { readonly tree: string; readonly cause?: string; readonly id?: string }
  | { readonly mixed: string }
  | { readonly names: string }
  /** Of a file that is gone or was written over: its content is still a stranger's. */
  | { readonly content: string; readonly at: Millis }
  | { readonly blob: readonly string[] }
  | { readonly ids: readonly string[] }
  | { readonly gone: readonly string[] }
  | { readonly endorsed: string; readonly contents: readonly string[] };

/** In place of a hash: no content has it. */
export const UNREAD = "-";
/** Where more than so many lines say nothing any more, the file is written anew. */
const DEAD_LINES = 1_000;

/** All of it, in memory. */
export interface Known {
  readonly paths: Map<string, FileLabel>;
  readonly hashes: Map<string, Millis>;
  readonly ids: Set<string>;
  readonly blobs: Set<string>;
  readonly trees: Map<string, { readonly cause: string; readonly id?: string }>;
  readonly mixed: Set<string>;
  readonly names: Set<string>;
  readonly origins: Map<string, Origin>;
  lines: number;
}

/** @throws the file system's error. */
export function load(file: string): Known {
  const known = emptyKnown();
  const data = readIfExists(file) ?? Buffer.alloc(0);
  // A torn last line goes: the process died before it wrote the file that the line is about.
  const end = data.lastIndexOf("\n") + 1;
  if (end < data.length) fs.truncateSync(file, end);
  // As one text: of 100,000 lines that takes half the time that each alone does.
  const lines = data.subarray(0, end).toString("utf8").trimEnd().replaceAll("\n", ",");
  for (const line of JSON.parse(`[${lines}]`) as readonly Line[]) apply(known, line); // written by openFileLabels
  return known;
}

function emptyKnown(): Known {
  return {
    paths: new Map(),
    hashes: new Map(),
    ids: new Set(),
    blobs: new Set(),
    trees: new Map(),
    mixed: new Set(),
    names: new Set(),
    origins: new Map(),
    lines: 0,
  };
}

/**
 * A hash stays, and so does the file: the same text elsewhere, or the file under another name, is the stranger's, whatever became of
 * the path.
 */
export function apply(known: Known, line: Line): void {
  known.lines += 1;
  if ("tree" in line) {
    const { tree, cause = "", id } = line;
    known.trees.set(tree, { cause, ...(id !== undefined && { id }) });
    if (id !== undefined) known.ids.add(id);
  } else if ("mixed" in line) known.mixed.add(line.mixed);
  else if ("origin" in line) known.origins.set(line.origin, { from: line.from, whose: line.whose });
  else if ("names" in line) known.names.add(line.names);
  else if ("content" in line) known.hashes.set(line.content, line.at);
  else if ("ids" in line) for (const id of line.ids) known.ids.add(id);
  else if ("blob" in line) for (const blob of line.blob) known.blobs.add(blob);
  else if ("endorsed" in line) {
    known.names.delete(line.endorsed);
    for (const content of line.contents) {
      known.hashes.delete(content);
      known.blobs.delete(content);
    }
    for (const { path, sha256: hash, id } of [...known.paths.values()])
      if (path === line.endorsed || line.contents.includes(hash)) {
        if (id !== undefined) known.ids.delete(id);
        forget(known, path);
      }
    known.ids.delete(known.trees.get(line.endorsed)?.id ?? "");
    forget(known, line.endorsed);
  } else if ("gone" in line) for (const path of line.gone) forget(known, path);
  else if (!("sha256" in line)) forget(known, line.path);
  else {
    forget(known, line.path);
    known.paths.set(line.path, line);
    if (line.id !== undefined) known.ids.add(line.id);
    if (line.sha256 !== UNREAD && !known.hashes.has(line.sha256)) known.hashes.set(line.sha256, line.at ?? 0);
    for (const blob of line.blobs ?? []) known.blobs.add(blob);
  }
}

function forget(known: Known, path: string): void {
  known.paths.delete(path);
  known.trees.delete(path);
}

/** Only what still says something; the same is known after it. */
export function compact(file: string, known: Known): void {
  if (known.lines <= DEAD_LINES + 2 * known.paths.size) return; // at least so many still say something
  const lines = [...linesOf(known)];
  if (known.lines <= 2 * lines.length + DEAD_LINES) return;
  replaceFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  known.lines = lines.length;
}

function* linesOf({ paths, hashes, ids, blobs, trees, mixed, names, origins }: Known): Generator<Line> {
  yield* paths.values();
  const named = new Set([...paths.values()].map(({ sha256: hash }) => hash));
  for (const [content, at] of hashes) if (!named.has(content)) yield { content, at };
  const namedBlobs = new Set([...paths.values()].flatMap((label) => label.blobs ?? []));
  const left = [...blobs].filter((blob) => !namedBlobs.has(blob));
  if (left.length > 0) yield { blob: left };
  const namedIds = new Set([...paths.values(), ...trees.values()].map(({ id }) => id));
  const moved = [...ids].filter((id) => !namedIds.has(id));
  if (moved.length > 0) yield { ids: moved };
  for (const [tree, facts] of trees) yield { tree, ...facts };
  for (const directory of mixed) yield { mixed: directory };
  for (const directory of names) yield { names: directory };
  for (const [origin, facts] of origins) yield { origin, ...facts };
}
