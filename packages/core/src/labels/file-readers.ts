/**
 * Who may read what stands in the files of a folder, where that is not for everybody who reads the folder's conversations: by path and
 * by content, so that a copy is known too. A line in a file of the state directory is written before the file itself is: a crash keeps
 * too much back, never too little. With nobody beside the owner there is no line.
 */
import fs from "node:fs";
import { join } from "node:path";
import type { Readers } from "../contract/people.ts";
import type { ToolResult } from "../contract/tool.ts";
import { checkedReaders, joinReaders } from "../lib/audience.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";
import { FILE_MODE, makeDirectory, readIfExists, replaceFile } from "../machine/files/files.ts";

/** Where more than so many lines say nothing any more, the file is written anew. */
const DEAD_LINES = 1_000;

/** `readers` absent: what stands at the path is for whoever reads the folder. */
interface Line {
  readonly path?: string;
  readonly sha256?: string;
  readonly readers?: readonly Readers[];
}

interface Known {
  readonly paths: Map<string, readonly Readers[]>;
  readonly contents: Map<string, readonly Readers[]>;
  lines: number;
}

export interface FileReaders {
  /** Before a whole file is written, or a part of it changed. @param hash of all of it. @throws the file system's error. */
  writing(
    path: string,
    hash: string | undefined,
    readers: readonly Readers[] | undefined,
    part: "whole" | "part",
  ): void;
  /** Of a file. @param sha256 of what stands there, where that is known. */
  of(path: string, sha256?: string): readonly Readers[];
  /** Of a file or directory with all that is in it: of what came out of there. `""`: of all that is known. */
  below(path: string): readonly Readers[];
}

/** In the directory of the state. Where it is not there nothing is known. */
export const FILE_READERS = "file-readers.jsonl";

/** @param directory of the state. Read at the first question. */
export function openFileReaders(directory: string): FileReaders {
  const file = join(directory, FILE_READERS);
  let loaded: Known | undefined;
  const known = (): Known => (loaded ??= load(file));
  const write = (line: Line): void => {
    apply(known(), line);
    makeDirectory(directory);
    try {
      fs.appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: FILE_MODE });
      compact(file, known());
    } catch (error) {
      loaded = undefined; // a full disk may have cut the line: the file is read again
      throw error;
    }
  };
  const of: FileReaders["of"] = (path, hash = "") => {
    const { paths, contents } = known();
    return joinReaders(paths.get(path), contents.get(hash)) ?? [];
  };
  return {
    writing: (path, hash, given, part) => {
      const before = known().paths.get(path);
      // A change leaves the rest as it was.
      const readers = part === "part" ? joinReaders(before, given) : given;
      if (readers !== undefined && readers.length > 0)
        write({ path, ...(hash !== undefined && { sha256: hash }), readers });
      else if (before !== undefined) write({ path });
    },
    of,
    below: (path) => {
      const { paths, contents } = known();
      const there = [...paths].filter(([each]) => path === "" || each === path || each.startsWith(`${path}/`));
      const all = [...there.map(([, readers]) => readers), ...(path === "" ? contents.values() : [])];
      return all.reduce((sum, each) => joinReaders(sum, each) ?? [], []);
    },
  };
}

/** For those alone who are in all of these sets. */
export function withReaders(result: ToolResult, readers: readonly Readers[]): ToolResult {
  if (readers.length === 0) return result;
  const given: Exclude<ToolResult, string> =
    typeof result === "string" ? { parts: [{ type: "text", text: result }] } : result;
  return { ...given, readers: [...(given.readers ?? []), ...readers] };
}

function load(file: string): Known {
  const known: Known = { paths: new Map(), contents: new Map(), lines: 0 };
  const data = readIfExists(file) ?? Buffer.alloc(0);
  // A torn last line goes: the process died before it wrote the file that the line is about.
  const end = data.lastIndexOf("\n") + 1;
  if (end < data.length) fs.truncateSync(file, end);
  for (const text of data.subarray(0, end).toString("utf8").split("\n")) {
    const line = text === "" ? undefined : parseJson(text);
    if (!isRecord(line)) continue;
    const { path, sha256: hash, readers } = line;
    apply(known, {
      ...(typeof path === "string" && { path }),
      ...(typeof hash === "string" && { sha256: hash }),
      ...(readers !== undefined && { readers: checkedReaders(readers) }),
    });
  }
  return known;
}

/** What a content is for stays, wherever it lies; of the same words out of two places those who are in both. */
function apply(known: Known, { path, sha256: hash, readers }: Line): void {
  const { paths, contents } = known;
  known.lines += 1;
  if (path !== undefined && readers === undefined) paths.delete(path);
  if (readers === undefined) return;
  if (path !== undefined) paths.set(path, readers);
  if (hash !== undefined) contents.set(hash, joinReaders(contents.get(hash), readers) ?? readers);
}

/** Only what still says something; the same is known after it. */
function compact(file: string, known: Known): void {
  const { paths, contents } = known;
  const lines: readonly Line[] = [
    ...[...contents].map(([hash, readers]) => ({ sha256: hash, readers })),
    ...[...paths].map(([path, readers]) => ({ path, readers })),
  ];
  if (known.lines <= 2 * lines.length + DEAD_LINES) return;
  replaceFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  known.lines = lines.length;
}
