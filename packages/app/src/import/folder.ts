// The workspace of another system: files to copy, memory to merge, skills.
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { isInside, messageOf, parseTranscript } from "@margay/core";
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
    if (to === undefined) found.files.push({ from, file, to: path });
    else found.memories.push({ from, to, text: readFileSync(file, "utf8") });
  }
  readSkills(join(workspace, SKILLS), found);
}

export function readSkills(folder: string, found: Source): void {
  if (!isFolder(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
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
export function sessionFiles(folder: string): readonly string[] {
  if (!isFolder(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
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

/** As a person finds it: below the source, else absolute. */
export function shown(found: Source, path: string): string {
  const below = relative(found.root, path).split(sep).join("/");
  return below === "" || !isInside(found.root, path) ? path : below;
}

/** A link could lead anywhere on this machine, so none is followed. */
function filesBelow(root: string, found: Source, leave: readonly string[]): readonly string[] {
  const paths: string[] = [];
  const walk = (below: string): void => {
    for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
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
