/** Earlier versions of the files: those of MEMORY.md are kept by the core whoever changes it, the others here. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory, readIfExists, replaceFile, sha256 } from "@margay/core/internal";
import type { Holdings } from "../../app.ts";
import type { MemoryFile } from "./files.ts";

export interface Version {
  /** Counts up from 0; the last twenty are kept. */
  readonly v: number;
  /** When it was replaced. */
  readonly at: number;
  readonly text: string;
  readonly hash: string;
  /** Lines that its replacement brought, and that it dropped. */
  readonly added: number;
  readonly removed: number;
  /** Who replaced it, and why, when that is known. */
  readonly by?: string;
  readonly note?: string;
}

type Kept = Pick<Holdings, "state">;

interface About {
  readonly by: string;
  readonly note?: string;
}

/** As in core/memory/memory.ts. */
const KEPT_VERSIONS = 20;
const ABOUT_FILE = "about.json";

/** @param now What the file says at present. Newest first. */
export function versionsOf({ name }: MemoryFile, now: string, kept: Kept): readonly Version[] {
  const directory = directoryOf(kept);
  const about = aboutIn(directory);
  const next = nextOf(directory, name);
  const found: Version[] = [];
  let after = now;
  for (let v = next - 1; v >= Math.max(0, next - KEPT_VERSIONS); v--) {
    const path = pathOf(directory, name, v);
    const text = readIfExists(path)?.toString("utf8");
    if (text === undefined) continue;
    found.push({
      v,
      at: Math.floor(statSync(path).mtimeMs),
      text,
      hash: sha256(text),
      added: linesMissing(after, text),
      removed: linesMissing(text, after),
      ...about[`${name} ${v}`],
    });
    after = text;
  }
  return found;
}

/** Before a change of a file that the core does not version. An empty one is not kept. */
export function keepVersion({ name, role }: MemoryFile, text: string, kept: Kept): void {
  if (text === "" || role === "facts") return;
  const directory = directoryOf(kept);
  makeDirectory(directory);
  const next = nextOf(directory, name);
  replaceFile(pathOf(directory, name, next), text);
  replaceFile(join(directory, counterOf(name)), String(next + 1));
}

/** After a change: who made it. */
export function describeLast({ name }: MemoryFile, about: About, kept: Kept): void {
  const directory = directoryOf(kept);
  const next = nextOf(directory, name);
  if (next === 0) return; // there was nothing before
  const left = Object.entries(aboutIn(directory)).filter(([key]) => {
    const at = key.lastIndexOf(" ");
    return key.slice(0, at) !== name || Number(key.slice(at + 1)) >= next - KEPT_VERSIONS;
  });
  const all = { ...Object.fromEntries(left), [`${name} ${next - 1}`]: about };
  replaceFile(join(directory, ABOUT_FILE), `${JSON.stringify(all, null, 2)}\n`);
}

function directoryOf({ state }: Kept): string {
  return join(state, "memory");
}

function pathOf(directory: string, name: string, v: number): string {
  return join(directory, `${name.replace(/\.md$/, "")}.${v % KEPT_VERSIONS}.md`);
}

function counterOf(name: string): string {
  return name === "MEMORY.md" ? "next" : `${name.replace(/\.md$/, "")}.next`;
}

function nextOf(directory: string, name: string): number {
  return Number(readIfExists(join(directory, counterOf(name)))?.toString("utf8") ?? "0") || 0;
}

function aboutIn(directory: string): Readonly<Record<string, About>> {
  try {
    const text = readIfExists(join(directory, ABOUT_FILE))?.toString("utf8");
    return text === undefined ? {} : (JSON.parse(text) as Record<string, About>); // written by describeLast
  } catch {
    return {}; // only who and why are lost
  }
}

/** How many lines of `text` are not in `other`. */
function linesMissing(text: string, other: string): number {
  const left = new Map<string, number>();
  for (const line of linesOf(other)) left.set(line, (left.get(line) ?? 0) + 1);
  let missing = 0;
  for (const line of linesOf(text)) {
    const count = left.get(line) ?? 0;
    if (count === 0) missing += 1;
    else left.set(line, count - 1);
  }
  return missing;
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
