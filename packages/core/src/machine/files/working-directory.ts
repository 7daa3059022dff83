// Opens the directory a command starts in, so that what was checked is what is used.
import fs from "node:fs";
import { isAbsolute, join } from "node:path";
import { isMissing, makeDirectory } from "./files.ts";
import { isInside } from "./paths.ts";

export interface WorkingDirectory {
  /** What to give as `cwd`: on Linux the opened directory itself, whatever its name points to meanwhile. */
  readonly handle: string;
  /** Its path without links. */
  readonly path: string;
  /** Once the command has started it is no longer needed. */
  close(): void;
}
export type OpenedDirectory =
  | { readonly status: "opened"; readonly directory: WorkingDirectory }
  | { readonly status: "missing" | "not-a-directory" | "outside" };

/** @param root When given, the directory must lie inside it, links followed. */
export function openWorkingDirectory(base: string, path: string, root: string | undefined): OpenedDirectory {
  const wanted = isAbsolute(path) ? path : join(base, path);
  makeDirectory(base); // somebody may have removed it
  let fd: number;
  try {
    fd = fs.openSync(wanted, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  } catch (error) {
    if (isMissing(error)) return { status: "missing" };
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return { status: "not-a-directory" };
    throw error;
  }
  const isLinux = process.platform === "linux";
  const real = isLinux ? fs.readlinkSync(`/proc/self/fd/${fd}`) : fs.realpathSync(wanted);
  if (root !== undefined && !isInside(fs.realpathSync(root), real)) {
    fs.closeSync(fd);
    return { status: "outside" };
  }
  // In the child `self` is the child, which holds a copy of the descriptor until its program starts.
  const handle = isLinux ? `/proc/self/fd/${fd}` : real;
  return { status: "opened", directory: { handle, path: real, close: () => fs.closeSync(fd) } };
}
