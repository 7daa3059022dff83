/** What the new entries of a workspace say together: names that are a text, and directories that came whole. */
import { basename, dirname } from "node:path";
import type { FileState } from "../undo/file-state.ts";

/** What a look at the workspace found at a path, and what had been there. */
export interface FoundChange {
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
}

/** More labelled files in one new directory become one line for all of it. */
const MAX_IN_TREE = 500;
/** A name that says more than what it names, and more names than a few: together they are a text. */
const MAX_NAME_CHARS = 48;
const MAX_NAME_WORDS = 5;
const MAX_NAMES = 8;

/** Directories whose list of names is a text now. */
export function loudDirectories(changes: readonly FoundChange[]): readonly string[] {
  const made = changes.filter(
    ({ path, before, after }) => before.kind === "absent" && after.kind !== "absent" && !isInGit(path),
  );
  const loud = made.filter(({ path }) => {
    const name = basename(path);
    return name.length > MAX_NAME_CHARS || (name.match(/[\p{L}\p{N}]+/gu) ?? []).length > MAX_NAME_WORDS;
  });
  const many = [...Map.groupBy(made, ({ path }) => dirname(path))].filter(([, names]) => names.length > MAX_NAMES);
  return [...new Set([...loud.map(({ path }) => dirname(path)), ...many.map(([directory]) => directory)])];
}

/** Names there are git's own, but for references. */
function isInGit(path: string): boolean {
  return /(?:^|\/)\.git\/(?!refs\/)/.test(`${path}/`);
}

/** Directories that came whole: a clone, and what holds more files than are worth a line each. */
export function newTrees(changes: readonly FoundChange[], causes: readonly string[]): readonly string[] {
  const made = new Set(
    changes
      .filter(({ before, after }) => before.kind === "absent" && after.kind === "directory")
      .map(({ path }) => path),
  );
  const files = new Map<string, number>();
  for (const { path, after } of changes)
    if (after.kind === "file")
      for (let folder = dirname(path); folder !== "."; folder = dirname(folder))
        if (made.has(folder)) files.set(folder, (files.get(folder) ?? 0) + 1);
  const fromNetwork = causes.some((cause) => /^network(?: |$)/.test(cause));
  const whole = [...made].filter(
    (folder) => (files.get(folder) ?? 0) > MAX_IN_TREE || (fromNetwork && made.has(`${folder}/.git`)),
  );
  return whole.filter((folder) => !whole.some((other) => folder.startsWith(`${other}/`)));
}
