/** The process that holds the lock of the state directory, reached through its control door. */
import { RuntimeError } from "@margay/core";
import { lockOwner, systemClock } from "@margay/core/internal";
import type { Places } from "../../config/paths.ts";
import type { Translate } from "../../texts/translate.ts";
import { socketPath } from "./socket-path.ts";

/** A process that works answers within milliseconds; one that is just starting opens its door in this time. */
const PATIENCE_MS = 2000;
/** A gateway that says that it is still reading what was left may answer as late as this. */
const START_PATIENCE_MS = 60_000;
const PAUSE_MS = 25;

export interface Holding {
  readonly places: Places;
  readonly t: Translate;
  readonly signal: AbortSignal;
  /** Told when it takes longer. Default: nobody is. */
  readonly terminal?: { err(text: string): void };
}

/**
 * Tries until somebody answers or nobody holds the lock any more.
 * @param reach Does it over the socket at that path; `NoDoor` when nobody answers there.
 * @returns undefined when nobody holds the lock. @throws RuntimeError `state.locked` when the holder does not answer.
 */
export async function atHolder<Value>(
  { places, t, signal, terminal }: Holding,
  reach: (path: string, patience: AbortSignal) => Promise<Value>,
): Promise<Value | undefined> {
  const last = AbortSignal.timeout(START_PATIENCE_MS);
  const within = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  let patience = within();
  let isTold = false;
  for (;;) {
    const pid = lockOwner(places.home);
    if (pid === undefined) return undefined;
    try {
      return await reach(socketPath(places.control), patience);
    } catch (error) {
      if (!isNoDoor(error)) throw error;
    }
    signal.throwIfAborted();
    if (patience.aborted) {
      const { readNote } = await import("./gateway-note.ts"); // nobody waits for it who is answered
      const note = readNote(places.home);
      if (last.aborted || note?.pid !== pid || note.starting !== true)
        throw new RuntimeError("state.locked", t("error.busy", { pid, home: places.home, log: places.log }), {
          retryable: true,
        });
      if (!isTold) terminal?.err(`${t("error.starting", { pid })}\n`);
      isTold = true;
      patience = within();
    }
    await systemClock().sleep(PAUSE_MS, signal);
  }
}

/** Nobody answers there: not yet, or not any more. */
export class NoDoor extends Error {}

function isNoDoor(error: unknown): boolean {
  return error instanceof NoDoor;
}
