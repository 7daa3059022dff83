/** Conversations whose journal failed: tried again until it can be read and written, then they go on. */
import type { Clock, Logger, Millis } from "../../contract/base.ts";
import type { Session } from "../../contract/session.ts";
import { hasCode, messageOf } from "../../lib/errors/errors.ts";

export interface Reopening {
  /** The session could not be opened or written. */
  failed(sessionKey: string, error: Error): void;
  /** A start could not read all journals; those it could not do not tell their keys. */
  unread(error: Error): void;
  /** Its turn came to rest: the next failure is a first one. */
  rested(sessionKey: string): void;
}

export interface ReopeningOptions {
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
  readonly reopened: (session: Session) => void;
  /** As at the start. @throws RuntimeError `journal.failed` while some cannot be read. */
  readonly resume: () => Promise<unknown>;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

/** In place of a key, which none of them tells. */
const ALL = "";
const FIRST_MS = 1000;
const MAX_MS = 60_000;

export function createReopening({ find, reopened, resume, closing, clock, log }: ReopeningOptions): Reopening {
  const waits = new Map<string, Millis>();
  const waiting = new Set<string>();

  const again = async (key: string): Promise<void> => {
    if (key === ALL) {
      await resume();
      waits.delete(ALL);
      return;
    }
    const session = await find(key);
    if (session !== undefined) reopened(session);
  };

  const reopen = async (key: string): Promise<void> => {
    for (;;) {
      const ms = waits.get(key) ?? FIRST_MS;
      waits.set(key, Math.min(MAX_MS, 2 * ms));
      await clock.sleep(ms, closing);
      try {
        await again(key);
        log.info("session.reopened", { session: key });
        return;
      } catch (error) {
        log.error("session.failed", { session: key, message: messageOf(error) });
        if (!hasCode(error, "journal.failed")) return; // damaged: somebody has to repair it
      }
    }
  };

  const failed = (key: string, error: Error): void => {
    if (waiting.has(key) || closing.aborted) return;
    waiting.add(key);
    log.error("session.failed", { session: key, message: messageOf(error) });
    reopen(key)
      .catch(() => {}) // the agent closes: the next start goes on with it
      .finally(() => waiting.delete(key));
  };

  return {
    failed,
    unread: (error) => failed(ALL, error),
    rested: (key) => void waits.delete(key),
  };
}
