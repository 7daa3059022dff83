// The workspace of another system: files to copy, memory to merge, skills.
import { closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { messageOf, parseTranscript } from "@margay/core";
import { readOrSkip } from "./read-or-skip.ts";
import { shown } from "./shown.ts";
import type { ReadOptions, Source, SourceMemory } from "./source.ts";

export interface FolderOptions {
  /** Paths below the workspace, with `/`, that are memory. */
  readonly memory: Readonly<Record<string, SourceMemory["to"]>>;
  /** Paths below the workspace that are read in another way. */
  readonly leave: readonly string[];
}

const SKILLS = "skills";

export function readWorkspace(workspace: string, found: Source, { memory, leave }: FolderOptions): void {
  for (const path of filesBelow(workspace, found, [...leave, SKILLS])) {
    const file = join(workspace, path);
    const from = shown(found, file);
    const to = memory[path];
    if (to === undefined) {
      // Asked now: a copy that fails later would end the import in the middle.
      if (readOrSkip(found, "workspace", file, () => isReadable(file)) === true)
        found.files.push({ from, file, to: path });
      continue;
    }
    const text = readOrSkip(found, "memory", file, () => readFileSync(file, "utf8"));
    if (text !== undefined) found.memories.push({ from, to, text });
  }
  readSkills(join(workspace, SKILLS), found);
}

export function readSkills(folder: string, found: Source): void {
  if (!isFolder(folder)) return;
  for (const entry of readOrSkip(found, "skill", folder, () => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const directory = join(folder, entry.name);
    const from = shown(found, directory);
    if (entry.isDirectory() && existsSync(join(directory, "SKILL.md")))
      found.skills.push({ from, name: entry.name, directory });
    else found.skipped.push({ area: "skill", from, reason: { key: "import.why.notSkill" } });
  }
}

/** A session file in JSON lines, as our own `sessions import` reads it. */
export function addSession(
  found: Source,
  place: { readonly from: string; readonly key: string },
  text: string,
  { timeZone }: ReadOptions,
): void {
  try {
    const imported = parseTranscript(text, { timeZone });
    if (imported.rows === 0)
      found.skipped.push({ area: "session", from: place.from, reason: { key: "import.why.empty" } });
    else found.sessions.push({ from: place.from, key: imported.key ?? place.key, imported });
  } catch (error) {
    const reason = { key: "import.why.unreadable", values: { why: messageOf(error) } } as const;
    found.skipped.push({ area: "session", from: place.from, reason });
  }
}

/** JSON lines in a folder. */
export function sessionFiles(found: Source, folder: string): readonly string[] {
  if (!isFolder(folder)) return [];
  const entries = readOrSkip(found, "session", folder, () => readdirSync(folder, { withFileTypes: true }));
  return (entries ?? [])
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map((entry) => join(folder, entry.name))
    .toSorted();
}

export function stem(file: string): string {
  return basename(file).replace(/\.jsonl$/, "");
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

export function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** @throws when it may not be opened. Effective rights count, so it is tried and not asked. */
function isReadable(file: string): true {
  closeSync(openSync(file, "r"));
  return true;
}

/** A link could lead anywhere on this machine, so none is followed. */
function filesBelow(root: string, found: Source, leave: readonly string[]): readonly string[] {
  const paths: string[] = [];
  const walk = (below: string): void => {
    const folder = join(root, below);
    const entries = readOrSkip(found, "workspace", folder, () => readdirSync(folder, { withFileTypes: true }));
    for (const entry of entries ?? []) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (leave.includes(path)) continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) paths.push(path);
      else
        found.skipped.push({
          area: "workspace",
          from: shown(found, join(root, path)),
          reason: { key: "import.why.notFile" },
        });
    }
  };
  walk("");
  return paths.toSorted();
}
