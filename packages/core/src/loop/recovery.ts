/** Crash recovery: every session that left something to do is driven again. There is nothing more to it. */
import type { Clock, Logger } from "../contract/base.ts";
import type { Session } from "../contract/session.ts";
import type { SessionStore, SessionSummary } from "../contract/store.ts";
import { hasCode, messageOf, RuntimeError } from "../lib/errors/errors.ts";
import { createReopening, type Reopening } from "./lanes/reopening.ts";

export interface RecoveryOptions {
  readonly sessions: SessionStore;
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
  /** Replies, a child at work, memory: what is not the turn. */
  readonly takeUp: (session: Session) => void;
  readonly wake: (sessionKey: string) => void;
  /** A turn of the event loop: others are answered between two sessions. */
  readonly pause: () => Promise<void>;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Recovery extends Pick<Reopening, "failed" | "rested"> {
  /** What an earlier process left goes on; what cannot be read now does when it can. @returns the keys of the sessions that go on. */
  resume(): Promise<readonly string[]>;
  /** The same, of what is known to be left. The others are looked at in `rest`: of thousands of journals each one is. */
  begin(): Promise<{ readonly rest: () => Promise<void> }>;
}

export function createRecovery(options: RecoveryOptions): Recovery {
  const { sessions, find, takeUp, wake, pause, closing, clock, log } = options;
  const report = (message: string): void => log.error("session.unreadable", { message });
  const deps = (unread: ResumeDeps["unread"]): ResumeDeps => ({ find, takeUp, wake, pause, report, unread });
  const resumeWith = (unread: ResumeDeps["unread"]): Promise<readonly string[]> => resumeAll(sessions, deps(unread));
  const reopening = createReopening({
    find,
    reopened: (session) => {
      takeUp(session);
      wake(session.state.key);
    },
    resume: () =>
      resumeWith((error) => {
        throw error;
      }),
    closing,
    clock,
    log,
  });
  const { failed, rested, unread } = reopening;
  const resume = (): Promise<readonly string[]> => resumeWith(unread);
  return {
    failed,
    rested,
    resume,
    begin: async () => {
      const left = sessions.left?.();
      if (left === undefined) await resume();
      else await resumeAll({ list: () => Promise.resolve(left.map((key) => ({ key }))) }, deps(unread));
      return {
        rest: async () => {
          // Channels are heard by now: what goes wrong ends none of them, and is tried again.
          if (left !== undefined) await resume().catch((error: unknown) => closing.aborted || unread(error as Error));
        },
      };
    },
  };
}

interface ResumeDeps extends Pick<RecoveryOptions, "find" | "takeUp" | "wake" | "pause"> {
  /** A session that can't be opened; the others go on. */
  readonly report: (message: string) => void;
  /** Some could not be read now, of which nobody knows whether they left something to do. */
  readonly unread: (error: Error) => void;
}

/** @returns the keys of the sessions that go on. */
async function resumeAll(
  sessions: { list(): Promise<readonly Pick<SessionSummary, "key" | "fault" | "settled">[]> },
  { find, takeUp, wake, pause, report, unread }: ResumeDeps,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const { key, fault, settled } of await sessions.list()) {
    if (settled === true) continue; // of thousands, a few are not: the others are not even opened
    if (fault !== undefined) {
      if (fault.code === "journal.failed") unread(new RuntimeError(fault.code, fault.message));
      else report(fault.message);
      continue;
    }
    const session = await found(key, find, report);
    if (session === undefined) continue;
    takeUp(session);
    await pause();
    if (session.state.turn === undefined && session.state.pending.length === 0) continue;
    keys.push(key);
    wake(key);
  }
  return keys;
}

/** A disk that failed is told where the session is opened, and it is tried again there. */
async function found(
  key: string,
  find: ResumeDeps["find"],
  report: ResumeDeps["report"],
): Promise<Session | undefined> {
  try {
    return await find(key);
  } catch (error) {
    if (hasCode(error, "process.stopping")) throw error;
    if (!hasCode(error, "journal.failed")) report(messageOf(error));
    return undefined;
  }
}
