// What a path means for the policy, by its text alone: the same answer on every platform, without touching the disk.
import { isProtected } from "./runs-later.ts";

/**
 * - `inside`: an ordinary file of the workspace.
 * - `protected`: in the workspace, but it steers the agent or runs by itself (identity, memory, skills, hooks, keys).
 * - `outside`: anywhere else.
 * - `state`: the agent's own state; never for a tool.
 */
export type PathClass = "inside" | "protected" | "outside" | "state";

/** Short names that Windows gives to the above, such as `GIT~1`. */
const SHORT = /^(?:git|gitmod|mcp|env|envrc|margay|husky|vscode|claude|cursor|npmrc|ssh|gnupg|heartb|identi|person)~\d/;

/**
 * Pure and cautious: names that some file system takes for a protected one (case, trailing dots, invisible characters)
 * are protected everywhere. Links are not seen here: the file tools compare with where the path really leads.
 * @param workspace absolute. @param path absolute or relative to it.
 * @param state absolute directories or files; a workspace in one of them is not meant.
 */
export function classifyPath(workspace: string, path: string, state: readonly string[] = []): PathClass {
  const windows = /^(?:[a-z]:|\\\\)/i.test(workspace);
  const root = parts(workspace, windows);
  const full = resolve(root, path, windows);
  if (full === undefined) return "outside";
  const folded = full.map(fold);
  const prefix = windows ? root.map(fold) : root;
  const inside = startsWith(windows ? folded : full, prefix);
  const foldedRoot = root.map(fold);
  for (const place of state) {
    const names = parts(place, windows).map(fold);
    if (startsWith(folded, names) && !(inside && startsWith(foldedRoot, names))) return "state";
  }
  if (!inside) return "outside";
  const names = folded.slice(root.length);
  return isProtected(names) || names.some((name) => name.startsWith(".env.") || SHORT.test(name))
    ? "protected"
    : "inside";
}

/** Whether a path lies in a folder or is it, as the most forgiving file system reads both. Relative, with `/`. */
export function liesIn(folder: string, path: string): boolean {
  return startsWith(parts(path, false).map(fold), parts(folder, false).map(fold));
}

/** Whether a path may lead to the file that ends so, as the most forgiving file system reads both: from whatever folder it starts. */
export function endsAt(end: string, path: string): boolean {
  const slashed = path.replaceAll("\\", "/");
  const names = (resolve([], slashed, false) ?? parts(slashed, false)).map(fold);
  const last = parts(end, false).map(fold);
  return last.every((name, index) => names.at(index - last.length) === name);
}

function resolve(root: readonly string[], path: string, windows: boolean): readonly string[] | undefined {
  if (/^~(?:[\\/]|$)/.test(path)) return undefined;
  const isAbsolute = path.startsWith("/") || (windows && /^(?:[a-z]:|[\\/])/i.test(path));
  const result = isAbsolute ? [] : [...root];
  for (const name of parts(path, windows)) {
    if (name !== "..") result.push(name);
    else if (result.pop() === undefined) return undefined;
  }
  return result;
}

function parts(path: string, windows: boolean): readonly string[] {
  return path.split(windows ? /[\\/]+/ : /\/+/).filter((name) => name !== "" && name !== ".");
}

function startsWith(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length > 0 && prefix.every((name, index) => path[index] === name);
}

/** The name as the most forgiving file system reads it. By way of capitals, as case folding makes two letters of ß. */
function fold(name: string): string {
  const invisible = /\p{Default_Ignorable_Code_Point}|\p{Cf}/gu; // made here: such classes cost a start a millisecond
  const visible = name.normalize("NFKC").replaceAll(invisible, "").toLowerCase().toUpperCase().toLowerCase();
  const plain = visible.replace(/:.*$/, "").replace(/[. ]+$/, "");
  return plain === "" ? visible : plain;
}
