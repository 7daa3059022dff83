/** Requests for one session in order: each waits until the one before it has its turn behind it. */
import { raceAbort } from "@margay/core/internal";
import { Problem } from "../../host/api/problem.ts";

export interface SessionQueue {
  /** @returns what lets the next one in. @throws Problem `queue.full`; `signal.reason`. */
  enter(key: string, signal: AbortSignal, limit: number): Promise<() => void>;
}

export function createSessionQueue(): SessionQueue {
  /** Of each session: when the last one is through, and how many are in it or wait. */
  const lines = new Map<string, { done: Promise<void>; count: number }>();
  return {
    enter: async (key, signal, limit) => {
      const line = lines.get(key) ?? { done: Promise.resolve(), count: 0 };
      if (line.count > limit)
        throw new Problem("queue.full", {
          detail: `${limit} requests wait for this session already.`,
          more: { code: "queue.full", param: null },
          headers: { "retry-after": "5" },
        });
      const own = Promise.withResolvers<void>();
      const previous = line.done;
      line.done = Promise.all([previous, own.promise]).then(() => undefined);
      line.count += 1;
      lines.set(key, line);
      let left = false;
      const leave = (): void => {
        if (left) return;
        left = true;
        own.resolve();
        line.count -= 1;
        if (line.count === 0) lines.delete(key);
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
