/**
 * Which files of the workspace hold what strangers wrote: by path, and by content, so that a copy is known too. One line
 * per fact in a file of the state directory, written before the file itself is: a crash labels too much, never too little.
 */
import fs from "node:fs";
import { join } from "node:path";
import type { Label } from "../contract/message.ts";
import { isUntrusted } from "../lib/labels.ts";
import { FILE_MODE, makeDirectory, readIfExists } from "../platform/files.ts";
import { sha256 } from "../platform/hash.ts";

/** More is not read to be compared by content. */
export const MAX_COMPARED_BYTES: number = 4 * 1024 * 1024;

export interface FileLabels {
  /** Before a whole file is written, or a part of it changed. @param path real, relative to the workspace. */
  writing(path: string, data: Uint8Array, label: Label, part: "whole" | "part"): void;
  /** A file that a command given in an untrusted context made or changed. `sha256` undefined: too large to compare. */
  changed(path: string, sha256: string | undefined): void;
  /** Whether there is anything to compare with. */
  readonly empty: boolean;
  byPath(path: string): boolean;
  byContent(data: Uint8Array): boolean;
  /** The paths that are untrusted. */
  paths(): readonly string[];
}

interface Line {
  readonly path: string;
  /** Of the content; absent: the path is trusted again. */
  readonly sha256?: string;
}

/** Instead of a hash: no content has it. */
const UNREAD = "-";

/** @param directory of the state; the file is `file-labels.jsonl` in it. Read at the first question. */
export function openFileLabels(directory: string): FileLabels {
  const file = join(directory, "file-labels.jsonl");
  let loaded: { readonly paths: Map<string, string>; readonly hashes: Set<string> } | undefined;
  const known = (): NonNullable<typeof loaded> => (loaded ??= load(file));
  const add = (line: Line): void => {
    apply(known(), line);
    makeDirectory(directory);
    try {
      fs.appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: FILE_MODE });
    } catch (error) {
      loaded = undefined; // a full disk may have cut the line: the file is read again
      throw error;
    }
  };
  return {
    writing: (path, data, label, part) => {
      if (isUntrusted(label)) add({ path, sha256: sha256(data) });
      // All of it is somebody's whom the operator trusts; a change leaves the rest as it was.
      else if (part === "whole" && known().paths.has(path)) add({ path });
      else if (known().paths.has(path)) add({ path, sha256: sha256(data) });
    },
    changed: (path, hash = UNREAD) => {
      if (known().paths.get(path) !== hash) add({ path, sha256: hash });
    },
    get empty() {
      return known().hashes.size === 0;
    },
    byPath: (path) => known().paths.has(path),
    byContent: (data) => known().hashes.has(sha256(data)),
    paths: () => [...known().paths.keys()],
  };
}

function load(file: string): { readonly paths: Map<string, string>; readonly hashes: Set<string> } {
  const known = { paths: new Map<string, string>(), hashes: new Set<string>() };
  const data = readIfExists(file) ?? Buffer.alloc(0);
  // A torn last line goes: the process died before it wrote the file that the line is about.
  const end = data.lastIndexOf("\n") + 1;
  if (end < data.length) fs.truncateSync(file, end);
  for (const line of data.subarray(0, end).toString("utf8").split("\n").slice(0, -1))
    apply(known, JSON.parse(line) as Line); // written by add()
  return known;
}

/** A hash stays: the same text elsewhere is the stranger's, whatever became of the first file. */
function apply(known: { readonly paths: Map<string, string>; readonly hashes: Set<string> }, line: Line): void {
  if (line.sha256 === undefined) known.paths.delete(line.path);
  else {
    known.paths.set(line.path, line.sha256);
    known.hashes.add(line.sha256);
  }
}
