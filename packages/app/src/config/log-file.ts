/** The log: JSON lines, owner only, one older file kept. */
import { appendFileSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory, messageOf } from "@margay/core/internal";

const MAX_BYTES = 10 * 1024 * 1024;
/** Lines that a disk did not take. */
const MAX_KEPT = 1000;

/** @throws the file system's error. */
export function appendLog(path: string, text: string): void {
  if (sizeOf(path) > MAX_BYTES) renameSync(path, `${path}.1`);
  if (sizeOf(path) === 0) makeDirectory(dirname(path));
  appendFileSync(path, text, { mode: 0o600 });
}

/**
 * A log that can't be written stops nothing: its last lines wait for the disk.
 * @param failed told once, until lines can be written again.
 */
export function patientLog(append: (text: string) => void, failed: (reason: string) => void): (line: string) => void {
  const kept: string[] = [];
  let failing = false;
  return (line) => {
    kept.push(line);
    if (kept.length > MAX_KEPT) kept.shift();
    try {
      append(kept.join(""));
      kept.length = 0;
      failing = false;
    } catch (error) {
      if (!failing) failed(messageOf(error));
      failing = true;
    }
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
