/** The time of the machine, which can pass faster: a minute and a half of silence is a few seconds. */
import type { Clock } from "@margay/core";
import { systemClock } from "@margay/core/internal";

export interface HurriedClock extends Clock {
  /** The machine was asleep for so long: its timers stood still. */
  slept(ms: number): void;
  /** From now on so many times as fast. */
  hurry(times: number): void;
}

const LOOK_MS = 10;

export function hurriedClock(): HurriedClock {
  const real = systemClock();
  let speed = 1;
  let since = real.monotonic();
  let ahead = 0;
  let asleep = 0;
  const gained = (): number => ahead + (speed - 1) * (real.monotonic() - since);
  const monotonic = (): number => real.monotonic() + gained();
  const timer = (ms: number, ring: () => void): Disposable => {
    const until = monotonic() + ms;
    let next: Disposable;
    const look = (): void => {
      const left = until - monotonic();
      if (left <= 0) ring();
      else next = real.timer(Math.min(left, LOOK_MS), look);
    };
    next = real.timer(Math.min(Math.max(ms, 0), LOOK_MS), look);
    return { [Symbol.dispose]: () => next[Symbol.dispose]() };
  };
  return {
    now: () => Math.floor(real.now() + gained() + asleep),
    monotonic,
    timer,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const over = (): void => {
          waiting[Symbol.dispose]();
          reject(signal.reason as Error); // whatever the owner aborted with
        };
        const waiting = timer(ms, () => {
          signal.removeEventListener("abort", over);
          resolve();
        });
        if (signal.aborted) over();
        else signal.addEventListener("abort", over, { once: true });
      }),
    slept: (ms) => void (asleep += ms),
    hurry(times) {
      ahead = gained();
      since = real.monotonic();
      speed = times;
    },
  };
}
