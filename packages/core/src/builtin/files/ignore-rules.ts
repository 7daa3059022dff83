// .gitignore: which entries a search leaves out (gitignore(5)).
import { globToRegExp } from "./glob.ts";

export interface IgnoreRule {
  readonly isNegated: boolean;
  readonly onlyDirectories: boolean;
  /** Matches the path relative to the directory of the file; without one the name alone. */
  readonly pattern: RegExp;
  readonly byName: boolean;
}
/** The rules of one .gitignore and where they hold: a prefix of paths, empty or ending with `/`. */
export interface IgnoreFile {
  readonly base: string;
  readonly rules: readonly IgnoreRule[];
}

export function parseIgnoreFile(text: string, base: string): IgnoreFile {
  return { base, rules: text.split(/\r?\n/).flatMap(parseRule) };
}

function parseRule(line: string): readonly IgnoreRule[] {
  // Blanks at the end do not count unless they are escaped.
  const trimmed = line.replace(/(?<!\\)\s+$/, "");
  if (trimmed === "" || trimmed.startsWith("#")) return [];
  const isNegated = trimmed.startsWith("!");
  const body = trimmed.slice(isNegated ? 1 : 0);
  const onlyDirectories = body.endsWith("/");
  const glob = onlyDirectories ? body.slice(0, -1) : body;
  if (glob === "") return [];
  const byName = !glob.includes("/");
  return [{ isNegated, onlyDirectories, byName, pattern: globToRegExp(glob.replace(/^\//, "")) }];
}

/** The last rule that matches decides, the files of deeper directories after those above. */
export function isIgnored(path: string, isDirectory: boolean, files: readonly IgnoreFile[]): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  for (const { base, rules } of files.toReversed()) {
    if (!path.startsWith(base)) continue;
    const rule = rules.findLast(
      (candidate) =>
        (isDirectory || !candidate.onlyDirectories) &&
        candidate.pattern.test(candidate.byName ? name : path.slice(base.length)),
    );
    if (rule !== undefined) return !rule.isNegated;
  }
  return false;
}
