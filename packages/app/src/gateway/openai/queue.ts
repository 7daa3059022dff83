/** Requests for one session in order: each waits until the one before it has its turn behind it. */
import { raceAbort } from "@margay/core";
import { Problem } from "../problem.ts";

export interface SessionQueue {
  /** @returns what lets the next one in. @throws Problem `queue.full`; `signal.reason`. */
  enter(key: string, signal: AbortSignal, limit: number): Promise<() => void>;
}

export function createSessionQueue(): SessionQueue {
  const tails = new Map<string, { done: Promise<void>; count: number }>();
  return {
    enter: async (key, signal, limit) => {
      const before = tails.get(key);
      if (before !== undefined && before.count > limit)
        throw new Problem("queue.full", {
          detail: `${limit} requests wait for this session already.`,
          more: { code: "queue.full", param: null },
          headers: { "retry-after": "5" },
        });
      const own = Promise.withResolvers<void>();
      const previous = before?.done ?? Promise.resolve();
      const tail = {
        done: Promise.all([previous, own.promise]).then(() => undefined),
        count: (before?.count ?? 0) + 1,
      };
      tails.set(key, tail);
      const leave = (): void => {
        own.resolve();
        void tail.done.then(() => {
          if (tails.get(key) === tail) tails.delete(key);
        });
      };
      try {
        await raceAbort(previous, signal);
      } catch (error) {
        leave();
        throw error;
      }
      return leave;
    },
  };
}
