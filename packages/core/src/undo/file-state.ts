/** What stands at a path of the workspace, as the undo store remembers it. */
import type { BigIntStats } from "node:fs";

export type FileState =
  | { readonly kind: "absent" }
  | {
      readonly kind: "file";
      readonly size: number;
      /** Permission bits. Absent: whatever the system gave a new file. */
      readonly mode?: number;
      /** Of the content. Absent: it was not read. */
      readonly sha256?: string;
      /** Why the content is not kept. */
      readonly lost?: Lost;
      /** Changes whenever the file does: compared where there is no hash. */
      readonly stamp?: string;
    }
  | { readonly kind: "directory"; readonly mode?: number; readonly lost?: "excluded" | "unreadable" }
  | { readonly kind: "link"; readonly target: string }
  /** A device, pipe or socket. */
  | { readonly kind: "special" };

/**
 * - `large`: over `tools.undo.maxFileMegabytes`; `full`: over `tools.undo.maxMegabytes`
 * - `linked`: it has another name outside the workspace; restored as a copy, tools could read what they may not
 * - `missing`: the copy is gone or damaged
 * - `excluded`: below a directory of `tools.undo.exclude`
 */
export type Lost = "large" | "full" | "linked" | "unreadable" | "excluded" | "special" | "missing";

export const ABSENT: FileState = { kind: "absent" };

/** Whether nothing happened between the two. */
export function sameState(left: FileState, right: FileState): boolean {
  if (left.kind === "file" && right.kind === "file")
    return (
      sameContent(left, right) && (left.mode === undefined || right.mode === undefined || left.mode === right.mode)
    );
  if (left.kind === "directory" && right.kind === "directory")
    return left.mode === undefined || right.mode === undefined || left.mode === right.mode;
  if (left.kind === "link" && right.kind === "link") return left.target === right.target;
  return left.kind === right.kind;
}

/** File systems give times as coarse as the clock's tick: twice the longest of Linux (100 Hz), in nanoseconds. */
export const TICK_NS = 20_000_000n;

type RegularFile = Extract<FileState, { readonly kind: "file" }>;

export function sameContent(left: RegularFile, right: RegularFile): boolean {
  if (left.sha256 !== undefined && right.sha256 !== undefined) return left.sha256 === right.sha256;
  return left.stamp !== undefined && left.stamp === right.stamp;
}

/** Whether what one command left is what the next one found. Modes are left out: a new file's is not known before. */
export function isContinued(left: FileState, right: FileState): boolean {
  if (left.kind === "file" && right.kind === "file") return sameContent(left, right);
  if (left.kind === "link" && right.kind === "link") return left.target === right.target;
  return left.kind === right.kind;
}

/** Size, times and inode: a file that still has them was not written to. */
export function stampOf(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].map((value) => value.toString(36)).join(".");
}

export function modeOf(stats: BigIntStats): number {
  return Number(stats.mode & 0o7777n);
}
