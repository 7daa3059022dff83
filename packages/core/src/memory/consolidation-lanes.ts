/** The lanes in which consolidations run, beside those of the conversations: they hold nothing up. */
import type { Clock, Logger } from "../contract/base.ts";
import type { Session, SessionState } from "../contract/session.ts";
import { messageOf, RuntimeError } from "../lib/errors/errors.ts";
import { createLanes, type Lanes } from "../lib/async/lanes.ts";
import { createSerial } from "../lib/async/serial.ts";
import { consolidateBehind } from "./consolidate-behind.ts";
import { inWindowOf, modelOf } from "../context/window.ts";
import type { Consolidations, LoopDeps } from "../loop/deps.ts";

export interface ConsolidationLanes extends Consolidations, Pick<Lanes, "idle" | "close"> {}

export interface ConsolidationOptions {
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
  /** Of the room of a conversation. */
  readonly deps: (state: SessionState) => LoopDeps;
  /** Aborts at the next emergency stop. */
  readonly stopSignal: () => AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createConsolidations({ find, deps, stopSignal, clock, log }: ConsolidationOptions): ConsolidationLanes {
  const oneAtATime = createSerial();
  const all = new Set<string>();
  const lanes = createLanes({
    concurrency: () => 1,
    clock,
    work: async (key, signal) => {
      const session = await find(key);
      const stop = stopSignal();
      if (session === undefined || deps(session.state).stopped()) return {};
      const either = AbortSignal.any([signal, stop]);
      try {
        await oneAtATime(key, async () => {
          either.throwIfAborted();
          const current = deps(session.state);
          const own = inWindowOf(current, modelOf(session.state, current.model));
          await consolidateBehind(session, own, all.delete(key), either);
        });
      } catch (error) {
        if (!stop.aborted || signal.aborted) throw error; // stopped: the next turn wakes it again
      }
      return {};
    },
    failed: (key, error) => log.error("consolidation.failed", { session: key, message: messageOf(error) }),
  });
  return {
    wake: lanes.wake,
    wakeAll: (key) => {
      all.add(key);
      lanes.wake(key);
    },
    instead: async (key, work) => {
      await lanes.abort(key, new RuntimeError("turn.cancelled", "The conversation is consolidated in its lane."));
      try {
        return await oneAtATime(key, work);
      } finally {
        lanes.wake(key);
      }
    },
    idle: lanes.idle,
    close: lanes.close,
  };
}
