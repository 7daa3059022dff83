/** Resolves when this turn of the event loop has done its work: what it wrote can share one sync. */
export function endOfTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
