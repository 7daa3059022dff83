/** What is known in a home of its backups, for doctor, the page and the schedule. It is no part of a backup. */
import { join } from "node:path";
import { isRecord, makeDirectory, readIfExists, replaceFile, type Millis } from "@margay/core/internal";

export interface Attempt {
  readonly at: Millis;
  /** Absent: it went well. */
  readonly error?: string;
}

export interface BackupState {
  /** The last one that went well. */
  readonly last?: { readonly at: Millis; readonly target: string; readonly name: string; readonly bytes: number };
  readonly tried?: Attempt;
  /** When all of it was read, and whether it was whole. */
  readonly checked?: Attempt;
  readonly drill?: Attempt;
  /** The last one that went well. */
  readonly drilled?: Millis;
}

/** Below the home: what is known, and the lock of whoever is at it. */
export function backupFolder(home: string): string {
  return join(home, "backup");
}

/** What cannot be read says that nothing is known. */
export function readState(home: string): BackupState {
  try {
    const value: unknown = JSON.parse(readIfExists(fileOf(home))?.toString("utf8") ?? "{}");
    return isRecord(value) ? (value as BackupState) : {}; // written below
  } catch {
    return {};
  }
}

export function noteState(home: string, change: BackupState): void {
  makeDirectory(backupFolder(home));
  replaceFile(fileOf(home), `${JSON.stringify({ ...readState(home), ...change })}\n`);
}

function fileOf(home: string): string {
  return join(backupFolder(home), "state.json");
}
