/** A stream that is given up when it stays silent for too long, whether it listens to its signal or not. */
import type { Clock, Millis } from "../../contract/base.ts";

export interface Hearing<T> {
  readonly open: (signal: AbortSignal) => AsyncIterable<T>;
  /** What ends the silence: from then on `late` means nothing. */
  readonly isHeard: (item: T) => boolean;
  /** Aborts when nothing can be waited for any longer; absent: never. */
  readonly late: AbortSignal | undefined;
  readonly signal: AbortSignal;
}

/** @throws `late.reason` when it aborts before anything is heard; `signal.reason`. The source is told to end, and not waited for. */
export async function* heardBefore<T>({ open, isHeard, late, signal }: Hearing<T>): AsyncGenerator<T> {
  const own = new AbortController(); // the signals outlive the stream and are not held on to
  let wake: ((reason: unknown) => void) | undefined;
  const end = ({ reason }: AbortSignal): void => {
    own.abort(reason);
    wake?.(reason);
  };
  const stop = (): void => end(signal);
  const giveUp = (): void => late && end(late);
  if (signal.aborted) stop();
  else if (late?.aborted === true) giveUp();
  own.signal.throwIfAborted();
  signal.addEventListener("abort", stop, { once: true });
  late?.addEventListener("abort", giveUp, { once: true });
  const iterator = open(own.signal)[Symbol.asyncIterator]();
  let completed = false;
  try {
    for (;;) {
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        wake = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done === true) {
        completed = true;
        return;
      }
      if (isHeard(next.value)) late?.removeEventListener("abort", giveUp);
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    late?.removeEventListener("abort", giveUp);
    // Not awaited: it may be stuck in the very read that was given up.
    if (!completed) void iterator.return?.(undefined)?.catch(() => undefined);
  }
}

export interface Share<T> extends Omit<Hearing<T>, "late"> {
  readonly withinMs: Millis;
  readonly clock: Pick<Clock, "sleep">;
  /** What is thrown then. */
  readonly tooLate: () => Error;
}

/** The same with a time of its own. */
export async function* heardWithin<T>({ withinMs, clock, tooLate, ...hearing }: Share<T>): AsyncGenerator<T> {
  const late = new AbortController();
  const over = new AbortController();
  clock.sleep(withinMs, over.signal).then(
    () => late.abort(tooLate()),
    () => undefined, // ended before its time
  );
  try {
    yield* heardBefore({ ...hearing, late: late.signal });
  } finally {
    over.abort(OVER);
  }
}

/** A reason of its own would cost a stack trace each time. */
const OVER = new Error("Nobody waits any more.");
