/** Changes of files that several processes may make at once: one after the other. */
import { setTimeout } from "node:timers/promises";
import type { Millis } from "../../contract/base.ts";
import { hasCode } from "../../lib/errors/errors.ts";
import { lockDirectory } from "../system/lock.ts";

const PAUSE_MS = 10;

/**
 * Runs `change` while no other process that asks for the same directory does. What a killed one left holds nobody up.
 * @param patienceMs for how long this process waits, doing nothing else.
 * @throws RuntimeError `state.locked` when it has waited that long.
 */
export function takeTurns<Result>(directory: string, patienceMs: Millis, change: () => Result): Result {
  using _lock = lockOf(directory, patienceMs);
  return change();
}

/** As `takeTurns`, while others work. Begun at once, and so done where nobody else is at it. */
export async function awaitTurn<Result>(directory: string, patienceMs: Millis, change: () => Result): Promise<Result> {
  for (let left = patienceMs; ; left -= PAUSE_MS) {
    try {
      return takeTurns(directory, 0, change);
    } catch (error) {
      if (!hasCode(error, "state.locked") || left <= 0) throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}

function lockOf(directory: string, patienceMs: Millis): Disposable {
  for (let left = patienceMs; ; left -= PAUSE_MS) {
    try {
      return lockDirectory(directory);
    } catch (error) {
      if (!hasCode(error, "state.locked") || left <= 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
