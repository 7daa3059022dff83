/** `memory` of the workspace. A link in its place is not followed: it may lead where no tool may read or write. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "../lib/errors/errors.ts";

export function memoryDirectory(workspace: string): string {
  return join(workspace, "memory");
}

/** False: something else has that name. One that is not there yet is ours. */
export function isOurs(directory: string): boolean {
  return lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() !== false;
}

/** @throws RuntimeError `tool.refused`. */
export function assertOurs(directory: string): void {
  if (isOurs(directory)) return;
  const what = lstatSync(directory).isSymbolicLink() ? "a link" : "not a directory";
  throw new RuntimeError("tool.refused", `memory is ${what}. Next: ask the operator to put a directory in its place.`);
}
