/** Changes of files that several processes may make at once: one after the other. */
import type { Millis } from "../../contract/base.ts";
import { hasCode } from "../../lib/errors/errors.ts";
import { lockDirectory } from "../system/lock.ts";

const PAUSE_MS = 10;

/**
 * Runs `change` while no other process that asks for the same directory does: begun at once, and so done where nobody else is at
 * it; others work while it waits. What a killed one left holds nobody up.
 * @throws RuntimeError `state.locked` when it has waited that long.
 */
export async function awaitTurn<Result>(directory: string, patienceMs: Millis, change: () => Result): Promise<Result> {
  for (let left = patienceMs; ; left -= PAUSE_MS) {
    try {
      using _lock = lockDirectory(directory);
      return change();
    } catch (error) {
      if (!hasCode(error, "state.locked") || left <= 0) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
