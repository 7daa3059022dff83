/**
 * How long a person waits for the first words of an answer: one time over all attempts, models and compactions
 * of a request, on a clock that never jumps. A restart begins it anew.
 */
import type { Clock, Millis } from "../../contract/base.ts";
import type { ErrorInfo } from "../../contract/record.ts";

/** So often the chat says that it goes on. */
const SAY_MS = 20_000;

export interface Wait {
  readonly begun: Millis;
  left(): Millis;
  /** Aborts when it is over. */
  readonly late: AbortSignal;
  /** The last failure of an attempt. */
  fault?: ErrorInfo;
}

export interface FirstWords {
  /** Begins unless it is on. @param message What is to be answered. @param say Called every 20 s with the time so far. */
  wait(sessionKey: string, message: string, limitMs: Millis, say: (waitedMs: Millis) => void): Wait;
  /** They have come, or nobody waits any more. */
  over(sessionKey: string): void;
}

/** One that is on, with what rings next. */
interface Timed {
  readonly message: string;
  readonly wait: Wait;
  timer: Disposable | undefined;
}

/** @param closing Nothing is timed any more once it aborts. */
export function createFirstWords(clock: Clock, closing: AbortSignal): FirstWords {
  const waits = new Map<string, Timed>();
  const over = (key: string): void => {
    waits.get(key)?.timer?.[Symbol.dispose]();
    waits.delete(key);
  };
  closing.addEventListener("abort", () => waits.forEach((_, key) => over(key)), { once: true });
  return {
    over,
    wait: (key, message, limitMs, say) => {
      const known = waits.get(key);
      if (known?.message === message) return known.wait;
      over(key);
      const begun = clock.monotonic();
      const late = new AbortController();
      const wait: Wait = { begun, left: () => begun + limitMs - clock.monotonic(), late: late.signal };
      const entry: Timed = { message, wait, timer: undefined };
      const at = (ms: Millis, ring: () => void): void => {
        entry.timer = clock.timer(Math.max(0, begun + ms - clock.monotonic()), ring);
      };
      const watch = (next: Millis): void => {
        if (next >= limitMs) at(limitMs, () => late.abort(new Error("Nothing was said in time."))); // of this wait alone
        else
          at(next, () => {
            watch(next + SAY_MS);
            say(next);
          });
      };
      if (!closing.aborted) watch(SAY_MS);
      waits.set(key, entry);
      return wait;
    },
  };
}
