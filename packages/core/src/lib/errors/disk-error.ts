/** What the system says when a file can't be written or opened, as an error that says what to do. */
import { messageOf, RuntimeError } from "./errors.ts";

const CAUSES: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ENOSPC: ["the disk is full", "Free space there, then try again."],
  EDQUOT: ["the quota of this user is used up", "Free space there, then try again."],
  EFBIG: ["a file may not grow as far", "Raise the limit (`ulimit -f unlimited`), then try again."],
  EROFS: ["the disk is read-only", "Mount it writable, or choose another MARGAY_HOME."],
  EIO: ["the disk reports an input/output error", "Check the disk and its cable, then try again."],
  EMFILE: ["no more files can be opened", "Raise the limit (`ulimit -n 4096`), then start again."],
  ENFILE: ["this machine can open no more files", "End other programs, then start again."],
  EACCES: ["this user may not write there", "Change its owner or permissions, or choose another MARGAY_HOME."],
  EPERM: ["this user may not write there", "Change its owner or permissions, or choose another MARGAY_HOME."],
  ENOTDIR: ["a part of the path is a file", "Move that file away, or choose another MARGAY_HOME."],
};

/** @param place Where it happened, when the error itself does not say. @returns undefined for any other error. */
export function diskError(error: unknown, place: string): RuntimeError | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  const cause = CAUSES[String(error.code)];
  if (cause === undefined) return undefined;
  const [what, remedy] = cause;
  const path = "path" in error && typeof error.path === "string" ? error.path : place;
  return new RuntimeError("disk.failed", `${path}: ${what} (${messageOf(error)}). ${remedy}`, { cause: error });
}
