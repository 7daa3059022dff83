/** Where state and workspace may lie. */
import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { RuntimeError } from "../../lib/errors/errors.ts";

/** @throws RuntimeError `state.inside-workspace`: file tools could rewrite history. */
export function assertOutside(directory: string, workspace: string): void {
  if (isInside(real(workspace), real(directory)))
    throw new RuntimeError(
      "state.inside-workspace",
      `The state directory ${directory} lies inside the workspace ${workspace}, where tools could rewrite it. Move one of them.`,
    );
}

/** Whether a path is `root` or below it, by its text: both absolute, links resolved where they matter. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The real path of what exists, with the rest appended: a link must not hide where a directory will be. */
function real(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    // It does not exist yet: its parent decides.
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(real(parent), basename(absolute));
  }
}
