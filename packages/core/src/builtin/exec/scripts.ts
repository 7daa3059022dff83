/** Which files of the workspace a command would run, as far as its text tells: an approval is bound to their content. */
import {
  closeSync,
  constants,
  fstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  type Stats,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { JsonObject } from "../../contract/base.ts";
import type { CallFiles } from "../../contract/grant.ts";
import { sha256 } from "../../machine/system/hash.ts";
import { openUnseen } from "../../machine/files/open-file.ts";
import { isInside } from "../../machine/files/paths.ts";
import { globToRegExp } from "../files/glob.ts";
import { splitCommand } from "./segments.ts";

/** They show, move or compare what they are given, and never run it. */
const ONLY_DATA = new Set(
  "cat ls echo printf head tail wc grep rg sort uniq cut tr diff cmp stat file touch mkdir rmdir rm cp mv ln cd pwd test [ du df tee".split(
    " ",
  ),
);
/** What a program runs without being told. */
const IMPLIED: ReadonlyMap<string, readonly string[]> = new Map([
  ["make", ["Makefile", "makefile", "GNUmakefile"]],
  ["npm", ["package.json"]],
  ["npx", ["package.json"]],
  ["pnpm", ["package.json"]],
  ["yarn", ["package.json"]],
  ["just", ["justfile"]],
]);
const MAX_BYTES = 16 * 1024 * 1024;
/** Command lines inside each other that are looked into. */
const MAX_DEPTH = 3;
/** Files that are looked for, by some microseconds each: nobody reads a question about a command that names more. */
const MAX_LOOKS = 5000;
/** Names that are compared with a pattern in the time of one. */
const NAMES_A_LOOK = 50;

/** What a call depends on beside its arguments. Files that cannot be read count as absent. */
export function callFilesOf(workspace: string, tool: string, input: unknown): CallFiles {
  const fields = typeof input === "object" && input !== null ? (input as JsonObject) : {}; // fields are looked at one by one
  if (tool === "exec") {
    const directory = real(resolve(workspace, String(fields["working_dir"] ?? ".")));
    const scripts = scriptsOf(String(fields["command"] ?? ""), directory, real(workspace));
    if (scripts === undefined) return { workspace, directory, unknown: true };
    return { workspace, directory, ...(Object.keys(scripts).length > 0 && { scripts }) };
  }
  if ((tool === "write_file" || tool === "edit_file") && typeof fields["path"] === "string")
    return { workspace, target: real(resolve(workspace, fields["path"])) };
  return { workspace };
}

/** @returns undefined when there is too much to look for. */
function scriptsOf(
  command: string,
  directory: string,
  workspace: string,
): Readonly<Record<string, string>> | undefined {
  const all = wordsIn(command, 0);
  if (all === undefined) return undefined;
  const words = distinct(all);
  if (!words.some(({ runs }) => runs)) return {};
  const found = new Map<string, string>();
  const budget = { looks: MAX_LOOKS };
  const bases = new Set([directory]);
  // Every directory that the command names may be one it goes into (`cd x`, `-C x`, `--prefix x`): it is a base from then on.
  for (const base of bases) {
    for (const { text, runs } of words)
      for (const name of runs ? matching(text, base, budget) : [text]) {
        if (--budget.looks < 0) return undefined;
        const named = resolve(base, name);
        const there = stats(named);
        if (there === undefined) continue;
        const path = real(named);
        if (found.has(path) || !isInside(workspace, path)) continue;
        if (there.isDirectory()) bases.add(path);
        const hash = there.isFile() ? hashOf(path) : undefined;
        if (hash !== undefined) found.set(path, hash);
      }
  }
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function distinct(words: readonly Word[]): readonly Word[] {
  const runs = new Map<string, boolean>();
  for (const word of words) runs.set(word.text, word.runs || runs.get(word.text) === true);
  return [...runs].map(([text, isRun]) => ({ text, runs: isRun }));
}

/** `runs`: of a part that runs something. What the others name may be piped, copied or moved to where it is run. */
interface Word {
  readonly text: string;
  readonly runs: boolean;
}

/** @returns undefined when there are more command lines inside each other than are looked into. */
function wordsIn(command: string, depth: number): readonly Word[] | undefined {
  const found: Word[] = [];
  for (const segment of splitCommand(command).texts) {
    const words = wordsOf(segment);
    const head = words.findIndex((word) => !/^\w+=/.test(word));
    const name = words[head]?.split("/").at(-1) ?? "";
    const runs = head >= 0 && !ONLY_DATA.has(words[head] ?? "");
    found.push(...[...words.flatMap(readings), ...(IMPLIED.get(name) ?? [])].map((text) => ({ text, runs })));
    for (const text of runs ? words.filter((word) => /\s/.test(word)) : []) {
      const inner = depth < MAX_DEPTH ? wordsIn(text, depth + 1) : undefined;
      if (inner === undefined) return undefined;
      found.push(...inner);
    }
  }
  return found;
}

/** `--file=x`, `F=x` and `$D/x` name x too: what a variable stands for is not known, only that it was named before. */
function readings(word: string): readonly string[] {
  const value = /^[^=\s]+=(.+)$/s.exec(word)?.[1];
  const last = word.includes("$") ? word.split("/").at(-1) : undefined;
  return [word, ...(value === undefined ? [] : [value]), ...(last === undefined || last === "" ? [] : [last])];
}

/** The files that a pattern as the last part of a path stands for. */
function matching(text: string, base: string, budget: { looks: number }): readonly string[] {
  const at = text.lastIndexOf("/") + 1;
  if (!/[*?[{]/.test(text.slice(at))) return [text];
  if (budget.looks <= 0) return [text]; // whoever asks finds out that it is spent
  try {
    const names = readdirSync(resolve(base, text.slice(0, at) || "."));
    budget.looks -= 10 + names.length / NAMES_A_LOOK;
    const pattern = globToRegExp(text.slice(at));
    return names.filter((name) => pattern.test(name)).map((name) => text.slice(0, at) + name);
  } catch {
    return []; // no such directory
  }
}

/** Words as a shell would make them, without expansion; what a redirection writes is left out. */
function wordsOf(segment: string): readonly string[] {
  const words: string[] = [];
  const pattern = /\d*(?<out>>>?\|?&?)|\d*<+(?!\()|(?:"(?:\\[^]|[^"\\])*"|'[^']*'|\\[^]|[^\s"'\\<>])+/g;
  let written = false;
  for (const match of segment.matchAll(pattern)) {
    if (match.groups?.["out"] !== undefined) written = true;
    else if (!/^\d*<+$/.test(match[0])) {
      if (!written) words.push(match[0].replaceAll(/"((?:\\[^]|[^"\\])*)"|'([^']*)'|\\([^])/g, "$1$2$3"));
      written = false;
    }
  }
  return words;
}

function hashOf(path: string): string | undefined {
  let fd: number;
  try {
    // A pipe is not waited for: whoever made it would stop the whole process with a question about it.
    fd = openUnseen(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  } catch {
    return undefined; // no such file: the word is something else
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    // Too long to read for each question: a change shows in what the file system says of it.
    if (stat.size > MAX_BYTES) return `${String(stat.size)} ${String(stat.mtimeMs)} ${String(stat.ino)}`;
    return sha256(readFileSync(fd));
  } finally {
    closeSync(fd);
  }
}

/** Undefined: nothing is there, or the name is none. */
function stats(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // too long, a loop of links, no text for a path
  }
}

/** Without links as far as it exists: what is not there yet keeps its name. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), path.slice(parent.length).replace(/^[\\/]/, ""));
  }
}
