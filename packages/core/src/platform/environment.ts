/** The machine, as the identity section names it, and text files of the workspace. */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isMissing } from "./files.ts";

export function environment(): { readonly os: string; readonly arch: string; readonly node: string } {
  return { os: process.platform, arch: process.arch, node: process.versions.node };
}

/** A file below `root` by relative path; undefined when there is none. */
export function readTextFile(root: string): (path: string, signal: AbortSignal) => Promise<string | undefined> {
  return async (path, signal) => {
    try {
      return await readFile(join(root, path), { encoding: "utf8", signal });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
}

/** The state directory when none is named: `MARGAY_HOME`, else `~/.margay`. */
export function defaultDirectory(): string {
  return process.env["MARGAY_HOME"] ?? join(homedir(), ".margay");
}

/** What this process was started with; `exec` passes on a fixed list of names from it. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
