import type { Clock, Millis } from "../../contract/base.ts";

/** Longest delay `setTimeout` takes; a longer one would fire at once. @see Node.js timers, TIMEOUT_MAX */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => process.uptime() * 1000, // performance.now() loads a module of its own at each start
    sleep,
    timer,
  };
}

/** Runs it once, later. Does not keep the process. */
export function startTimer(ms: Millis, run: () => void): Disposable {
  const handle = setTimeout(run, ms).unref();
  return { [Symbol.dispose]: () => clearTimeout(handle) };
}

async function sleep(ms: Millis, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const over = Promise.withResolvers<void>();
  using _timer = timer(ms, over.resolve);
  const onAbort = (): void => over.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await over.promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function timer(ms: Millis, ring: () => void): Disposable {
  let left = Math.max(0, ms);
  let handle: NodeJS.Timeout;
  const next = (): void => {
    const part = Math.min(left, MAX_TIMER_MS);
    left -= part;
    handle = setTimeout(left > 0 ? next : ring, part);
  };
  next();
  return { [Symbol.dispose]: () => clearTimeout(handle) };
}
