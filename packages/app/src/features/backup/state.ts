/** What is known in a home of its backups, for doctor, the page and the schedule. It is no part of a backup. */
import { join } from "node:path";
import { changeDoc, isRecord, parsedDoc, parseJson, type Docs, type Millis } from "@margay/core/internal";

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

/** Below the home: the lock of whoever is at it. */
export function backupFolder(home: string): string {
  return join(home, "backup");
}

/** What cannot be read says that nothing is known. */
export function readState(docs: Docs): BackupState {
  return parsedDoc(docs, NAME, stateIn, {})();
}

export async function noteState(docs: Docs, change: BackupState): Promise<void> {
  await changeDoc(docs, NAME, (body) => [`${JSON.stringify({ ...stateIn(body), ...change })}\n`, undefined]);
}

const NAME = "backup/state.json";

function stateIn(body = ""): BackupState {
  const value = parseJson(body);
  return isRecord(value) ? (value as BackupState) : {}; // written above
}
