/** Long work on one thread, cut into slices: whoever waits for the event loop waits a few milliseconds. */
import { setImmediate } from "node:timers/promises";

const SLICE_MS = 6;

export interface Slices {
  /** Between two pieces of work. Undefined: go on. Otherwise wait for it. @throws `signal.reason`. */
  pause(): Promise<void> | undefined;
}

/** @param monotonic milliseconds of a clock that never jumps. */
export function createSlices(monotonic: () => number, signal?: AbortSignal): Slices {
  let began = monotonic();
  return {
    pause: () => {
      if (monotonic() - began < SLICE_MS) return undefined;
      return setImmediate().then(() => {
        signal?.throwIfAborted();
        began = monotonic();
      });
    },
  };
}
