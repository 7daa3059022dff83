/** The log: JSON lines, owner only, one older file kept. */
import { appendFileSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "@margay/core";

const MAX_BYTES = 10 * 1024 * 1024;

export function appendLog(path: string, line: string): void {
  if (sizeOf(path) > MAX_BYTES) renameSync(path, `${path}.1`);
  if (sizeOf(path) === 0) makeDirectory(dirname(path));
  appendFileSync(path, line, { mode: 0o600 });
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
