/** A way out to one client, with what waits in it: nothing is queued without bound. */

export interface Outlet {
  send(text: string): void;
  /** Bytes that wait for the client. */
  readonly waiting: number;
  /** Resolves when little waits, or when the client is gone. */
  drained(): Promise<void>;
  readonly closed: boolean;
}

/** Above this no live events: they are replaced by one `partial` later. */
export const LIVE_BYTES = 262_144;
/** Above this no commits either: they are in the journal. */
export const COMMIT_BYTES = 1_048_576;

/** Those who wait for an outlet to drain. */
export interface Drain {
  wait(): Promise<void>;
  release(): void;
}

export function createDrain(): Drain {
  let waiters: (() => void)[] = [];
  return {
    wait: () =>
      new Promise((resolve) => {
        waiters.push(resolve);
      }),
    release: () => {
      const all = waiters;
      waiters = [];
      for (const resolve of all) resolve();
    },
  };
}
