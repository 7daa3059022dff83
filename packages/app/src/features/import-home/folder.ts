// The workspace of another system: files to copy, memory to merge, skills. And the end of every reading: what is left over.
import { closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, statSync, type Dirent } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readOrSkip } from "./read-or-skip.ts";
import { shown } from "./shown.ts";
import type { Reason, Source, SourceMemory } from "./source.ts";

export interface FolderOptions {
  /** Paths below the workspace, with `/`, that are memory. */
  readonly memory: Readonly<Record<string, SourceMemory["to"]>>;
  /** Paths below the workspace that are read in another way, or are no files of the person. */
  readonly leave: readonly string[];
}

const SKILLS = "skills";

export function readWorkspace(workspace: string, found: Source, { memory, leave }: FolderOptions): void {
  for (const path of filesBelow(workspace, found, [...leave, SKILLS])) {
    const file = join(workspace, path);
    const from = shown(found, file);
    const to = memory[path];
    if (to === undefined) {
      // Asked now: what cannot be copied is named, and the rest is.
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
    found.seen.add(directory);
    if (entry.isDirectory() && existsSync(join(directory, "SKILL.md")))
      found.skills.push({ from, name: entry.name, directory });
    else found.skipped.push({ area: "skill", from, reason: { key: "import.why.notSkill" } });
  }
}

/** The files with this end in a folder, by name. */
export function filesIn(found: Source, folder: string, end: string): readonly string[] {
  if (!isFolder(folder)) return [];
  const names = readOrSkip(found, "session", folder, () => readdirSync(folder)) ?? [];
  found.seen.delete(folder); // what else is in it is looked at by itself
  return names
    .filter((name) => name.endsWith(end))
    .toSorted()
    .map((name) => join(folder, name))
    .filter(isFile);
}

export function stem(file: string, end: string): string {
  return basename(file, end);
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A file that is one, and no link to another place. */
export function isPlainFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Whatever nobody asked for, by name, so that nothing is lost without a word. A folder of which nothing was taken is one line.
 * @param why What is known of a path below the root; else margay has no place for it.
 */
export function nameTheRest(found: Source, root: string, why: (path: string) => Reason["key"] | undefined): void {
  const above = new Set<string>();
  for (const path of found.seen)
    for (let folder = dirname(path); !above.has(folder) && folder !== dirname(folder); folder = dirname(folder))
      above.add(folder);
  const walk = (folder: string): void => {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (found.seen.has(path)) continue;
      if (above.has(path)) walk(path);
      else if (!entry.isDirectory() || entriesOf(path).length > 0) {
        const from = `${shown(found, path)}${entry.isDirectory() ? "/" : ""}`;
        const key = why(from) ?? "import.why.noPlace";
        found.skipped.push({ area: "other", from, reason: { key, values: { kind: found.kind } } });
      }
    }
  };
  walk(root);
}

/** None of a folder that may not be read: it is named itself. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
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
    if (entries !== undefined) found.seen.delete(folder); // each of its entries is seen by itself
    for (const entry of entries ?? []) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (leave.includes(path) || found.seen.has(join(root, path))) continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) paths.push(path);
      else {
        found.seen.add(join(root, path));
        found.skipped.push({
          area: "workspace",
          from: shown(found, join(root, path)),
          reason: { key: "import.why.notFile" },
        });
      }
    }
  };
  walk("");
  return paths.toSorted();
}
