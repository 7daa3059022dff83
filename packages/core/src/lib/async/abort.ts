/** Waiting for a signal, or for work that a signal cuts short. */

/** Resolves when the signal is aborted, or at once when it is. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** The result of `work`, which goes on by itself when nobody waits any longer. @throws `signal.reason` once aborted. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void => stopped.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([stopped.promise, work]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
