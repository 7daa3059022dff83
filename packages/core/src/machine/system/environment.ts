/** The machine, as the identity section names it, and text files of the workspace. */
import { lstatSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { safeFiles } from "../files/safe-files.ts";

export function environment(): { readonly os: string; readonly arch: string; readonly node: string } {
  return { os: process.platform, arch: process.arch, node: process.versions.node };
}

/** A file below `root` by relative path, never through a link that leads out of it; undefined when there is none. */
export function readTextFile(root: string): (path: string, signal: AbortSignal) => Promise<string | undefined> {
  const files = safeFiles({ root, restrict: true, protect: [] });
  return async (path) => {
    // Most are missing, and refusing five files through the thread pool is felt in a start.
    if (lstatSync(pathBelow(root, path), { throwIfNoEntry: false }) === undefined) return undefined;
    try {
      using file = await files.read(path);
      return (await file.bytes()).toString("utf8");
    } catch {
      return undefined; // missing, or refused: the prompt does without it
    }
  };
}

/** Size of a file, and its content up to a bound. @throws the file system's error. */
export async function readBytes(
  path: string,
  maxBytes: number,
): Promise<{ readonly size: number; readonly bytes: Uint8Array }> {
  const { size } = await stat(path);
  if (size > maxBytes) return { size, bytes: new Uint8Array() };
  return { size, bytes: await readFile(path) };
}

/** `path` below `root`, unless it is absolute. */
export function pathBelow(root: string, path: string): string {
  return resolve(root, path);
}

/** The state directory when none is named: `MARGAY_HOME`, else `~/.margay`. */
export function defaultDirectory(): string {
  return process.env["MARGAY_HOME"] ?? join(homedir(), ".margay");
}

/** What this process was started with; `exec` passes on a fixed list of names from it. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
