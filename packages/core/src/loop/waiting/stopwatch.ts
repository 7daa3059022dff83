/** How long turns take, on a clock that never jumps. What began before a restart is not known here. */
import type { Clock, Millis, TurnId } from "../../contract/base.ts";

export interface Stopwatch {
  start(turn: TurnId): void;
  /** @returns the time since its start, once; undefined for a turn that another process began. */
  stop(turn: TurnId): Millis | undefined;
}

export function createStopwatch(clock: Pick<Clock, "monotonic">): Stopwatch {
  const running = new Map<TurnId, number>();
  return {
    start: (turn) => void running.set(turn, clock.monotonic()),
    stop: (turn) => {
      const startedAt = running.get(turn);
      running.delete(turn);
      return startedAt === undefined ? undefined : clock.monotonic() - startedAt;
    },
  };
}
