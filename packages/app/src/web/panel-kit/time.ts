/** The pages' only clock and timer. */
import { useEffect, useState } from "preact/hooks";

export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Calls it once, later. @returns Stops it. */
export function after(ms: number, work: () => void): () => void {
  const timer = window.setTimeout(work, ms);
  return () => window.clearTimeout(timer);
}

/** The value as it was when nothing had changed for a while. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => after(ms, () => setSettled(value)), [value, ms]);
  return settled;
}

/** The time, told again at an interval, for "5 minutes ago". */
export function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(nowMs());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(nowMs()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now;
}
