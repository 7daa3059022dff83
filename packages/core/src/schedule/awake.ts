/** Waiting for a time without trusting timers: short steps, so that a clock that jumped is noticed within a minute. */
import type { Clock, Millis } from "../contract/base.ts";
import { untilAborted } from "../lib/async/abort.ts";

/** Also the longest a due time can be late because the clock was set forward. */
const STEP_MS = 60_000;
/** A step that took this much longer than asked for: the machine slept, or the clock was set. */
const JUMP_MS = 30_000;

export interface Alarm {
  /** Ends the wait in hand, or the next one. */
  ring(): void;
  /**
   * Resolves at `until`, when rung, or after a step: ask again what is due. Without `until` only when rung.
   * @returns whether the time before now was slept through.
   * @throws `signal.reason`.
   */
  wait(until: Millis | undefined, signal: AbortSignal): Promise<boolean>;
}

export function createAlarm(clock: Clock): Alarm {
  let rung = false;
  let wake: AbortController | undefined;
  return {
    ring: () => {
      rung = true;
      wake?.abort(new Error("rung"));
    },
    wait: async (until, signal) => {
      signal.throwIfAborted();
      if (rung) {
        rung = false;
        return false;
      }
      const ringing = new AbortController();
      wake = ringing;
      const begun = clock.now();
      const ms = until === undefined ? undefined : Math.min(STEP_MS, Math.max(0, until - begun));
      const both = AbortSignal.any([signal, ringing.signal]);
      try {
        await (ms === undefined ? untilAborted(both) : clock.sleep(ms, both));
      } catch {
        signal.throwIfAborted(); // else it was rung
      } finally {
        wake = undefined;
        rung = false;
      }
      return clock.now() - begun > (ms ?? Number.POSITIVE_INFINITY) + JUMP_MS;
    },
  };
}
