/** Long work on one thread, cut into slices: whoever waits for the event loop waits a few milliseconds. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../contract/base.ts";

const SLICE_MS = 6;

export interface Slices {
  /** Between two pieces of work. Undefined: go on. Otherwise wait for it. @throws `signal.reason`. */
  pause(): Promise<void> | undefined;
}

export function createSlices(clock: Pick<Clock, "monotonic">, signal?: AbortSignal): Slices {
  let began = clock.monotonic();
  return {
    pause: () => {
      if (clock.monotonic() - began < SLICE_MS) return undefined;
      return setImmediate().then(() => {
        signal?.throwIfAborted();
        began = clock.monotonic();
      });
    },
  };
}
