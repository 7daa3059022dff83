// A deadline that stands still while somebody is asked.
import type { Clock, Millis } from "../../contract/base.ts";

export interface StandingDeadline {
  /** Time does not count until the returned function is called; more than one may hold it. */
  pause(): () => void;
  /** Resolves at `at` and as much later as it stood still. @throws signal.reason when that aborts. */
  reached(at: Millis, signal: AbortSignal): Promise<void>;
}

export function createStandingDeadline(clock: Pick<Clock, "now" | "sleep">): StandingDeadline {
  let stoodMs = 0;
  let since: Millis | undefined;
  let holders = 0;
  let freed = Promise.withResolvers<void>();
  return {
    pause: () => {
      if (holders === 0) [since, freed] = [clock.now(), Promise.withResolvers<void>()];
      holders += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holders -= 1;
        if (holders > 0 || since === undefined) return;
        stoodMs += Math.max(0, clock.now() - since);
        since = undefined;
        freed.resolve();
      };
    },
    reached: async (at, signal) => {
      for (;;) {
        const left = at + stoodMs - clock.now();
        if (holders > 0) await freed.promise;
        else if (left > 0) await clock.sleep(left, signal);
        else return;
      }
    },
  };
}
