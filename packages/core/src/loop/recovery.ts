/** Crash recovery: every session that left something to do is driven again. There is nothing more to it. */
import type { Clock, Logger } from "../contract/base.ts";
import type { Session } from "../contract/session.ts";
import type { SessionStore } from "../contract/store.ts";
import { hasCode, messageOf, RuntimeError } from "../lib/errors/errors.ts";
import { createReopening, type Reopening } from "./lanes/reopening.ts";

export interface RecoveryOptions {
  readonly sessions: SessionStore;
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
  /** Replies, a child at work, memory: what is not the turn. */
  readonly takeUp: (session: Session) => void;
  readonly wake: (sessionKey: string) => void;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Recovery extends Pick<Reopening, "failed" | "rested"> {
  /** What an earlier process left goes on; what cannot be read now does when it can. @returns the keys of the sessions that go on. */
  resume(): Promise<readonly string[]>;
}

export function createRecovery(options: RecoveryOptions): Recovery {
  const { sessions, find, takeUp, wake, closing, clock, log } = options;
  const resumeWith = (unread: ResumeDeps["unread"]): Promise<readonly string[]> =>
    resumeAll(sessions, {
      find,
      takeUp,
      wake,
      report: (message) => log.error("session.unreadable", { message }),
      unread,
    });
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
  return { failed: reopening.failed, rested: reopening.rested, resume: () => resumeWith(reopening.unread) };
}

interface ResumeDeps extends Pick<RecoveryOptions, "find" | "takeUp" | "wake"> {
  /** A session that can't be opened; the others go on. */
  readonly report: (message: string) => void;
  /** Some could not be read now, of which nobody knows whether they left something to do. */
  readonly unread: (error: RuntimeError) => void;
}

/** @returns the keys of the sessions that go on. */
async function resumeAll(
  sessions: SessionStore,
  { find, takeUp, wake, report, unread }: ResumeDeps,
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
