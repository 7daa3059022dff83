// The search itself, synchronous: it runs in a worker thread, where a pattern that never ends hurts nobody.
import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
} from "node:fs";
import { identity, isStillAt } from "../../machine/files/open-directory.ts";
import { openUnseen } from "../../machine/files/open-file.ts";
import { sha256 } from "../../machine/system/hash.ts";
import { globToRegExp } from "./glob.ts";
import { hasUtf16Mark, isBinary } from "../../lib/paths/file-type.ts";
import { type IgnoreFile, isIgnored, parseIgnoreFile } from "./ignore-rules.ts";
import type { SearchAnswer, SearchRequest } from "./search-protocol.ts";

const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 64; // each level holds a descriptor open
const MAX_BYTES = 20 * 1024 * 1024;
const MAX_LINE_CHARS = 300;
const HEAD = 8192;

interface Search {
  readonly request: SearchRequest;
  readonly pattern: RegExp;
  readonly wants: (path: string, name: string) => boolean;
  readonly lines: string[];
  readonly files: Set<string>;
  readonly hashes: Map<string, string>;
  chars: number;
  entries: number;
  skipped: number;
  more: boolean;
  stopped: SearchAnswer["stopped"];
}

export function searchTree(request: SearchRequest): SearchAnswer {
  const search: Search = {
    request,
    pattern: new RegExp(request.pattern, request.flags),
    wants: wanted(request.glob),
    lines: [],
    files: new Set(),
    hashes: new Map(),
    chars: 0,
    entries: 0,
    skipped: 0,
    more: false,
    stopped: undefined,
  };
  const above = request.ignoreFiles.map(({ base, text }) => parseIgnoreFile(text, base));
  if (request.only === undefined) searchDirectory(search, request.directory, request.prefix, above, 0);
  else searchFile(search, `${request.directory}/${request.only}`, request.prefix + request.only);
  const { lines, files, hashes, more, stopped, entries, skipped } = search;
  return { lines, files: [...files], hashes, more, stopped, entries, skipped };
}

function wanted(glob: string | undefined): (path: string, name: string) => boolean {
  if (glob === undefined) return () => true;
  const pattern = globToRegExp(glob.replace(/^\.?\//, ""));
  return glob.includes("/") ? (path) => pattern.test(path) : (_, name) => pattern.test(name);
}

/** @param at the directory as a path that holds while it is open. */
function searchDirectory(
  search: Search,
  at: string,
  prefix: string,
  above: readonly IgnoreFile[],
  depth: number,
): void {
  const { request } = search;
  const entries = namesIn(at);
  const own = entries.some((entry) => entry.name === ".gitignore" && entry.isFile()) ? ignoreFileIn(at, prefix) : [];
  const ignoreFiles = [...above, ...own];
  for (const entry of entries) {
    if (isOver(search)) return;
    const path = prefix + entry.name;
    if (entry.isDirectory()) {
      if (entry.name === ".git" || request.unsearched.includes(path) || isIgnored(path, true, ignoreFiles)) continue;
      if (depth < MAX_DEPTH) enter(search, `${at}/${entry.name}`, `${path}/`, ignoreFiles, depth + 1);
      else search.skipped += 1;
    } else if (entry.isFile() && search.wants(path, entry.name) && !isIgnored(path, false, ignoreFiles))
      searchFile(search, `${at}/${entry.name}`, path);
  }
  const { also } = request;
  if (
    depth === 0 &&
    also !== undefined &&
    prefix !== also.prefix &&
    !isIgnored(also.prefix.slice(0, -1), true, ignoreFiles)
  )
    searchDirectory(search, also.directory, also.prefix, ignoreFiles, 1);
}

function namesIn(at: string): readonly Dirent[] {
  try {
    return readdirSync(`${at}/.`, { withFileTypes: true }).toSorted((left, right) => (left.name < right.name ? -1 : 1));
  } catch {
    return []; // unreadable or gone: there is nothing to search
  }
}

function ignoreFileIn(at: string, prefix: string): readonly IgnoreFile[] {
  const text = withFile(`${at}/.gitignore`, (fd, { size }) => (size > 1024n * 1024n ? "" : readFileSync(fd, "utf8")));
  return text === undefined ? [] : [parseIgnoreFile(text, prefix)];
}

/** Never through a link: the entry is opened as a directory or not at all. */
function enter(search: Search, path: string, prefix: string, ignoreFiles: readonly IgnoreFile[], depth: number): void {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0));
  } catch {
    search.skipped += 1;
    return;
  }
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (search.request.forbidden.includes(identity(stats))) return;
    const at = process.platform === "linux" ? `/proc/self/fd/${fd}` : path;
    searchDirectory(search, at, prefix, ignoreFiles, depth);
  } finally {
    closeSync(fd);
  }
}

function searchFile(search: Search, at: string, path: string): void {
  const { forbidden, skipLinked } = search.request;
  const found = withFile(at, (fd, stats) => {
    if (forbidden.includes(identity(stats))) return undefined;
    if (stats.size > BigInt(MAX_BYTES) || (skipLinked && stats.nlink > 1n)) return undefined;
    return { text: textOf(fd, Number(stats.size)), stats };
  });
  // What is shown of it was read from its only name: a look that costs more than the read, so only for what matches.
  if (found === undefined) search.skipped += 1;
  else if (found.text !== "") matchLines(search, found.text, path, () => !skipLinked || isStillAt(at, found.stats));
}

/** Undefined when it cannot be opened as a regular file without following a link. */
function withFile<T>(path: string, use: (fd: number, stats: BigIntStats) => T): T | undefined {
  let fd: number | undefined;
  try {
    fd = openUnseen(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(fd, { bigint: true });
    return stats.isFile() ? use(fd, stats) : undefined;
  } catch {
    return undefined; // gone, unreadable, or a link since it was listed
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Empty for binary files. */
function textOf(fd: number, size: number): string {
  const head = Buffer.alloc(Math.min(HEAD, size));
  const start = head.subarray(0, readSync(fd, head, 0, head.length, 0));
  if (hasUtf16Mark(start)) return new TextDecoder(start[0] === 0xff ? "utf-16le" : "utf-16be").decode(readFileSync(fd));
  if (isBinary(start)) return "";
  if (size <= start.length) return start.toString("utf8");
  const whole = Buffer.alloc(size);
  let filled = 0;
  for (;;) {
    const count = readSync(fd, whole, filled, size - filled, filled);
    filled += count;
    if (count === 0 || filled === size) return whole.toString("utf8", 0, filled);
  }
}

function matchLines(search: Search, text: string, path: string, mayShow: () => boolean): void {
  let number = 0;
  for (let start = 0; start < text.length;) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, text.charAt(end - 1) === "\r" && end > start ? end - 1 : end);
    number += 1;
    start = end + 1;
    const match = search.pattern.exec(line);
    if (match === null) continue;
    if (!search.files.has(path) && !mayShow()) {
      search.skipped += 1;
      return;
    }
    const shown = `${visible(path)}:${number}: ${around(line, match.index)}`;
    search.chars += shown.length + 1;
    if (search.lines.length >= search.request.limit || search.chars > search.request.maxChars) {
      search.more = true;
      return;
    }
    search.lines.push(shown);
    search.files.add(path);
    const { hashedBelow } = search.request;
    // Of what is no UTF-8 the bytes are not known any more: it is nobody's then.
    if (hashedBelow !== undefined && path.startsWith(hashedBelow) && !search.hashes.has(path))
      search.hashes.set(path, sha256(text));
  }
}

/** A part of a long line with the match in it. */
function around(line: string, index: number): string {
  if (line.length <= MAX_LINE_CHARS) return line;
  const start = Math.max(0, Math.min(index - 100, line.length - MAX_LINE_CHARS));
  const part = line.slice(start, start + MAX_LINE_CHARS).toWellFormed();
  return `${start > 0 ? "…" : ""}${part}${start + MAX_LINE_CHARS < line.length ? "…" : ""}`;
}

function visible(path: string): string {
  return path.replaceAll(/[\u0000-\u001f\u007f]/g, "?");
}

function isOver(search: Search): boolean {
  if (search.more || search.stopped !== undefined) return true;
  if (search.entries >= MAX_ENTRIES) search.stopped = "entries";
  else if (Atomics.load(search.request.stop, 0) !== 0) search.stopped = "time";
  else search.entries += 1;
  return search.stopped !== undefined;
}
