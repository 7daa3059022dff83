/** The emergency stop: ends what works, and keeps what would begin from beginning, until it is released. */
import type { Stopped } from "../contract/agent.ts";
import type { Logger } from "../contract/base.ts";
import type { Sender } from "../contract/message.ts";
import type { StopFlag } from "../contract/schedule.ts";
import type { Session } from "../contract/session.ts";
import { messageOf, RuntimeError } from "../lib/errors/errors.ts";
import { control, type ControlDeps } from "./control.ts";

export interface EmergencyStop {
  /** Asked before every step of a turn: the flag may have been set by somebody else. */
  readonly on: boolean;
  /** Aborts at the next stop: for requests beside the turns. */
  readonly signal: AbortSignal;
  /** Sets the flag first, so that nothing begins while the sessions are stopped. @returns what it ended since it was set. */
  stopAll(by: Sender): Promise<Stopped>;
  /** @returns false when it was not on. */
  release(by: Sender): Promise<boolean>;
}

export interface EmergencyStopOptions {
  readonly stopFlag: StopFlag | undefined;
  /** Sessions with work in hand or waiting. */
  readonly atWork: () => Promise<readonly Session[]>;
  readonly controlDeps: ControlDeps;
  readonly log: Logger;
}

const NOTHING: Stopped = { turns: 0, processes: 0 };

export function createEmergencyStop({ stopFlag, atWork, controlDeps, log }: EmergencyStopOptions): EmergencyStop {
  let sideRequests = new AbortController();
  let running: Promise<void> | undefined;
  let ended = NOTHING;

  const stop = async (session: Session, by: Sender): Promise<boolean> => {
    try {
      return (await control(session, { type: "stop", withdraw: true }, by, controlDeps)).done;
    } catch (error) {
      // A full disk takes no record; the work ends all the same, and the flag keeps it from going on.
      log.error("stop.unrecorded", { session: session.state.id, message: messageOf(error) });
      await controlDeps.abort(session.state.key, new RuntimeError("turn.cancelled", "The turn was stopped."));
      return true;
    }
  };
  const stopEach = async (by: Sender): Promise<void> => {
    const sessions = await atWork();
    await Promise.all(
      sessions.map(async (session) => {
        const commands = runningCommands(session);
        if (!(await stop(session, by))) return;
        ended = { turns: ended.turns + 1, processes: ended.processes + commands };
      }),
    ); // at once: one that hangs holds up no other
  };

  /** The flag as it is set here now: whoever stops meanwhile is told when it is written, or that it was not. */
  let writing: Promise<void> | undefined;
  /** It holds, and a restart would forget it: the next stop writes it. */
  let isOwed = false;
  const setFlag = async (by: Sender): Promise<void> => {
    isOwed = true;
    await stopFlag?.set(true, by.id);
    isOwed = false;
  };

  return {
    get on() {
      return stopFlag?.on === true;
    },
    get signal() {
      return sideRequests.signal;
    },
    stopAll: async (by) => {
      const isNew = stopFlag?.on !== true;
      if (isNew) ended = NOTHING;
      if (isNew || isOwed) writing ??= setFlag(by).finally(() => (writing = undefined));
      const written = writing;
      written?.catch(() => {}); // told below
      try {
        // It holds: what runs does not wait for the disk.
        sideRequests.abort(emergencyStopped());
        sideRequests = new AbortController();
        // Two that stop at once, a command and the flag it set, are one stop.
        running ??= stopEach(by).finally(() => (running = undefined));
        await running;
      } finally {
        await written; // when it could not be written, that is told now
      }
      return ended;
    },
    release: async (by) => {
      if (stopFlag?.on !== true) return false;
      await stopFlag.set(false, by.id);
      ended = NOTHING;
      return true;
    },
  };
}

/** Why something was not begun. */
export function emergencyStopped(): RuntimeError {
  return new RuntimeError(
    "system.stopped",
    "Everything is stopped by the emergency stop. An operator releases it with /resume or `margay resume --all`.",
  );
}

function runningCommands({ state }: Session): number {
  return (state.turn?.calls ?? []).filter(({ status, call }) => status === "started" && call.name === "exec").length;
}
