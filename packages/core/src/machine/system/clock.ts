import type { Clock, Millis } from "../../contract/base.ts";

/** Longest delay `setTimeout` takes; a longer one would fire at once. @see Node.js timers, TIMEOUT_MAX */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep,
  };
}

/** Runs it once, later. Does not keep the process. */
export function startTimer(ms: Millis, run: () => void): Disposable {
  const handle = setTimeout(run, ms).unref();
  return { [Symbol.dispose]: () => clearTimeout(handle) };
}

async function sleep(ms: Millis, signal: AbortSignal): Promise<void> {
  let left = ms;
  while (left > MAX_TIMER_MS) {
    await timer(MAX_TIMER_MS, signal);
    left -= MAX_TIMER_MS;
  }
  await timer(Math.max(0, left), signal);
}

function timer(ms: Millis, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error); // an abort reason is what the signal's owner chose to throw
      return;
    }
    const onAbort = (): void => {
      clearTimeout(handle);
      reject(signal.reason as Error);
    };
    const handle = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
