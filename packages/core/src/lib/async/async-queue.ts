/** A push source as an async iterable. Unbounded: for readers that keep up, or that are refilled from a journal. */
export interface AsyncQueue<T> extends AsyncIterable<T> {
  readonly push: (item: T) => void;
  readonly end: () => void;
}

/** Ends, without an error, when `signal` aborts. */
export function asyncQueue<T>(signal?: AbortSignal): AsyncQueue<T> {
  let items: T[] = [];
  let wake: (() => void) | undefined;
  let ended = signal?.aborted ?? false;
  const end = (): void => {
    ended = true;
    wake?.();
  };
  signal?.addEventListener("abort", end, { once: true });
  return {
    push: (item) => {
      items.push(item);
      wake?.();
    },
    end,
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const batch = items;
          items = [];
          yield* batch;
          if (items.length > 0) continue;
          if (ended) return;
          await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        signal?.removeEventListener("abort", end);
      }
    },
  };
}
