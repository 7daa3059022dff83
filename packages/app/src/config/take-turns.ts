/** Changes of files that several commands may make at once: one after the other. */
import { hasCode, lockDirectory } from "@margay/core";

const PAUSE_MS = 50;
/** Half a minute: a change that makes a key of a passphrase takes a second of it. */
const MAX_TRIES = 600;

/**
 * Runs `change` while no other process that asks for the same directory does. What a killed one left holds nobody up.
 * @throws RuntimeError `state.locked` after half a minute.
 */
export function takeTurns<Result>(directory: string, change: () => Result): Result {
  using _lock = lockOf(directory);
  return change();
}

function lockOf(directory: string): Disposable {
  for (let tried = 1; ; tried++) {
    try {
      return lockDirectory(directory);
    } catch (error) {
      if (!hasCode(error, "state.locked") || tried === MAX_TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
