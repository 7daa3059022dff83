// Deadlines on a stream: the first sign of life, the silence between two signs, and all of it.
import type { Clock, Millis } from "../contract/base.ts";
import type { ModelEvent, ModelRequest, Provider } from "../contract/provider.ts";
import { RuntimeError } from "../lib/errors/errors.ts";

export interface Timeouts {
  /** Until the first byte. Default: `idleMs`. */
  readonly firstByteMs?: Millis;
  /** Longest silence. Default 90,000. */
  readonly idleMs?: Millis;
  /** Everything. Default 300,000. */
  readonly totalMs?: Millis;
}

/** Signs of life below the events: bytes of a stream, also pings and comments. One per provider. */
export interface Activity {
  /** Called by the fetch layer; the request is known by its signal. */
  readonly touch: (signal: AbortSignal | undefined) => void;
  readonly listen: (signal: AbortSignal, onTouch: () => void) => void;
}

export function createActivity(): Activity {
  const listeners = new WeakMap<AbortSignal, () => void>();
  return {
    touch: (signal) => {
      if (signal !== undefined) listeners.get(signal)?.();
    },
    listen: (signal, onTouch) => {
      listeners.set(signal, onTouch);
    },
  };
}

/** The provider with deadlines. @throws RuntimeError `provider.timeout`; the connection is closed. */
export function withWatchdog(provider: Provider, clock: Clock, timeouts: Timeouts = {}, activity?: Activity): Provider {
  return { id: provider.id, stream: (request, signal) => watch(provider, request, signal, clock, timeouts, activity) };
}

async function* watch(
  provider: Provider,
  request: ModelRequest,
  signal: AbortSignal,
  clock: Clock,
  timeouts: Timeouts,
  activity: Activity | undefined,
): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted();
  const inner = new AbortController(); // Ends the request; the caller's signal outlives it and is not held on to.
  const onAbort = (): void => inner.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const deadlines = watched(provider.id, clock, timeouts, inner);
  activity?.listen(inner.signal, deadlines.touch);
  let wake: ((reason: unknown) => void) | undefined; // Rejects the wait for the next event.
  inner.signal.addEventListener("abort", () => wake?.(inner.signal.reason), { once: true });
  const iterator = provider.stream(request, inner.signal)[Symbol.asyncIterator]();
  let answered = false; // Nothing that could follow is waited for: the request has ended by itself.
  let completed = false;
  try {
    for (;;) {
      // It may have ended while the last event was looked at: nobody waited then.
      if (!answered) inner.signal.throwIfAborted();
      // A provider that ignores its signal must not hold the turn.
      const next = await new Promise<IteratorResult<ModelEvent>>((resolve, reject) => {
        wake = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done === true) {
        completed = true;
        return;
      }
      deadlines.touch();
      answered = next.value.type === "done";
      yield next.value;
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw deadlines.expired() ?? error;
  } finally {
    wake = undefined;
    signal.removeEventListener("abort", onAbort);
    if (!completed) {
      if (!answered) inner.abort(signal.reason);
      // Not awaited: it may be stuck in the very read that timed out.
      void iterator.return?.(undefined)?.catch(() => undefined);
    }
    deadlines.end();
  }
}

interface Deadlines {
  touch(): void;
  expired(): RuntimeError | undefined;
  end(): void;
}

/** Aborts the request when one of its deadlines has passed. */
function watched(id: string, clock: Clock, timeouts: Timeouts, request: AbortController): Deadlines {
  const idleMs = timeouts.idleMs ?? 90_000;
  const firstMs = timeouts.firstByteMs ?? idleMs;
  const totalMs = timeouts.totalMs ?? 300_000;
  const begun = clock.monotonic();
  let touched = begun;
  let alive = false;
  let expired: RuntimeError | undefined;
  let timer: Disposable | undefined;
  const watching = (): void => {
    const now = clock.monotonic();
    const silence = touched + (alive ? idleMs : firstMs) - now;
    const left = begun + totalMs - now;
    if (silence > 0 && left > 0) timer = clock.timer(Math.min(silence, left), watching);
    else {
      expired =
        left <= 0
          ? givenUp(id, "in all", totalMs)
          : alive
            ? givenUp(id, "between two parts of the answer", idleMs)
            : givenUp(id, "before the first byte", firstMs);
      request.abort(expired);
    }
  };
  watching();
  return {
    touch: () => {
      touched = clock.monotonic();
      alive = true;
    },
    expired: () => expired,
    end: () => timer?.[Symbol.dispose](),
  };
}

function givenUp(id: string, what: string, ms: Millis): RuntimeError {
  return new RuntimeError(
    "provider.timeout",
    `${id} was given up after ${Math.round(ms / 1000)} s (${what}). Raise agent.requestTimeoutSeconds or agent.idleTimeoutSeconds for slow models.`,
    { retryable: true, details: { afterMs: ms } },
  );
}
