// Time, and the machine's own.

/** Time of the emulator. The fake clock of `@margay/core/testing` is one. */
export interface EmulatorClock {
  now(): number;
  timer(ms: number, ring: () => void): Disposable;
}

/** The time of the machine. */
export const realClock: EmulatorClock = {
  now: () => Date.now(),
  timer(ms, ring) {
    const timer = setTimeout(ring, ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
