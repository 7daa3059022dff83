// Time that moves only when a test says so: waits of hours cost nothing, and nothing depends on the machine's load.

import type { Clock, Millis } from "../contract/base.ts";

export interface FakeClock extends Clock {
  /**
   * Moves time forward and wakes sleepers in order of their time. Code that sleeps again on waking is woken again when
   * that falls into the same span, provided it gets there without waiting for anything outside the process.
   */
  advance(ms: number): Promise<void>;
  /** The wall clock alone jumps, as after a correction by NTP or a change of the system time. */
  jump(ms: number): void;
  /** How long each sleeper still sleeps, shortest first. */
  pending(): readonly number[];
  /** Resolves with the remaining time of a sleep of at least `minMs` and at most `maxMs`, now or when there is one. */
  waitForSleep(minMs?: number, maxMs?: number): Promise<number>;
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** A clock that stands at `start` (default 2026-03-01T12:00:00Z). */
export function fakeClock(start: Millis = Date.UTC(2026, 2, 1, 12)): FakeClock {
  let elapsed = 0;
  let offset = 0;
  const sleepers = new Set<Sleeper>();
  const watchers = new Set<() => void>();
  const remaining = (): readonly number[] =>
    [...sleepers].map(({ until }) => until - elapsed).toSorted((a, b) => a - b);

  return {
    now: () => start + offset + Math.round(elapsed),
    monotonic: () => elapsed,
    sleep(ms, signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error); // whatever the owner aborted with
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          sleepers.delete(sleeper);
          signal.removeEventListener("abort", abort);
        };
        const sleeper: Sleeper = {
          until: elapsed + Math.max(0, ms),
          wake() {
            leave();
            resolve();
          },
        };
        const abort = (): void => {
          leave();
          reject(signal.reason as Error); // whatever the owner aborted with
        };
        signal.addEventListener("abort", abort, { once: true });
        if (ms <= 0) {
          sleeper.wake();
          return;
        }
        sleepers.add(sleeper);
        for (const watcher of watchers) watcher();
      });
    },
    timer(ms, ring) {
      const sleeper: Sleeper = {
        until: elapsed + Math.max(0, ms),
        wake() {
          sleepers.delete(sleeper);
          ring();
        },
      };
      sleepers.add(sleeper);
      for (const watcher of watchers) watcher();
      return { [Symbol.dispose]: () => void sleepers.delete(sleeper) };
    },
    async advance(ms) {
      const target = elapsed + ms;
      for (;;) {
        await settle();
        const next = [...sleepers].filter(({ until }) => until <= target).toSorted((a, b) => a.until - b.until)[0];
        if (next === undefined) break;
        elapsed = Math.max(elapsed, next.until);
        next.wake();
      }
      elapsed = target;
      await settle();
    },
    jump: (ms) => void (offset += ms),
    pending: remaining,
    waitForSleep(minMs = 0, maxMs = Number.POSITIVE_INFINITY) {
      return new Promise((resolve) => {
        const check = (): void => {
          const found = remaining().find((ms) => ms >= minMs && ms <= maxMs);
          if (found === undefined) return;
          watchers.delete(check);
          resolve(found);
        };
        watchers.add(check);
        check();
      });
    },
  };
}

/** Lets everything that is ready run: promise jobs, and a few turns of the event loop for what they start. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
}
