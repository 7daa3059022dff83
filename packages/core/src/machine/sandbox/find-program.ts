// Finds a program the sandbox is made of, never one that somebody the sandbox confines could have put there.
import fs from "node:fs";
import { isAbsolute, join } from "node:path";
import { isInside } from "../files/paths.ts";

export type FoundProgram =
  | { readonly status: "found"; readonly path: string }
  | { readonly status: "missing" }
  /** Only in a place that must not be trusted. */
  | { readonly status: "untrusted"; readonly path: string };

/** Looked at after PATH: a service is often started with a short one. */
const USUAL = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"] as const;

/**
 * @param searchPath PATH; its relative entries are passed over.
 * @param distrusted Directories whose programs are not taken: the workspace.
 */
export function findProgram(name: string, searchPath: string, distrusted: readonly string[]): FoundProgram {
  const bad = distrusted.map(realPath);
  let untrusted: string | undefined;
  for (const folder of new Set([...searchPath.split(":"), ...USUAL])) {
    if (!isAbsolute(folder)) continue;
    const path = realProgram(join(folder, name));
    if (path === undefined) continue;
    // Its own path too: a link of the workspace that leads out of it can be turned around.
    if (bad.some((root) => isInside(root, path) || isInside(root, realPath(folder)))) untrusted ??= path;
    else return { status: "found", path };
  }
  return untrusted === undefined ? { status: "missing" } : { status: "untrusted", path: untrusted };
}

/** Its path without links, when it is a file that may be run and that not everybody may change. */
function realProgram(path: string): string | undefined {
  try {
    fs.accessSync(path, fs.constants.X_OK);
    const real = fs.realpathSync(path);
    const stats = fs.statSync(real);
    return stats.isFile() && (stats.mode & 0o002) === 0 ? real : undefined;
  } catch {
    return undefined; // not there, or not ours to run
  }
}

function realPath(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return path; // it does not exist: its text decides
  }
}
