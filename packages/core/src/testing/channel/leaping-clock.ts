/** The time of the machine, in which nobody waits for long: a pause ends at once, and it is then as late as it would have been. */
import type { Clock, Millis } from "../../contract/base.ts";
import { raceAbort } from "../../lib/async/abort.ts";
import { systemClock } from "../../machine/system/clock.ts";

export interface LeapingClock extends Clock {
  /** How long somebody wanted to sleep, in the order in which they began. */
  readonly slept: readonly Millis[];
  /** It is so much later: what was held goes on. */
  leap(ms: Millis): void;
  /** No pause ends before the next leap: who tries again and again in no time is soon out of attempts. */
  hold(): void;
  /** The same time, in which pauses last. For channels: what they wait for is another machine. */
  readonly lasting: Clock;
}

const SHORT_MS = 10;
/** What waits for a person is not hurried. */
const LONG_MS = 600_000;

export function leapingClock(): LeapingClock {
  const real = systemClock();
  const slept: Millis[] = [];
  let ahead = 0;
  let held: PromiseWithResolvers<void> | undefined;
  const now = (): Millis => Math.floor(real.now() + ahead);
  const monotonic = (): Millis => real.monotonic() + ahead;
  return {
    now,
    monotonic,
    slept,
    timer: real.timer,
    leap: (ms) => {
      ahead += ms;
      held?.resolve();
      held = undefined;
    },
    hold: () => void (held ??= Promise.withResolvers()),
    lasting: { ...real, now, monotonic },
    async sleep(ms, signal) {
      slept.push(ms);
      if (ms <= SHORT_MS || ms > LONG_MS) return real.sleep(ms, signal);
      if (held !== undefined) return raceAbort(held.promise, signal);
      const until = monotonic() + ms;
      await real.sleep(SHORT_MS, signal);
      ahead += Math.max(0, until - monotonic());
    },
  };
}
