/** Waiting for a session: until it is idle, or until something else holds of it. */
import type { Session, SessionState } from "../contract/session.ts";

export function isIdle({ turn, pending }: SessionState): boolean {
  return turn === undefined && pending.length === 0;
}

/** A session as somebody sees it who only looks. */
type Seen = Pick<Session, "state" | "subscribe">;

/** Resolves when the session is idle. @throws as `whenState`. */
export function untilIdle(session: Seen, signal?: AbortSignal): Promise<void> {
  return whenState(session, isIdle, signal);
}

/** Resolves when it holds. @throws `signal.reason` when aborted; RuntimeError `journal.failed` when a commit failed. */
export function whenState(session: Seen, holds: (state: SessionState) => boolean, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      unsubscribe();
      signal?.removeEventListener("abort", onAbort);
      settle();
    };
    const onAbort = (): void => finish(() => reject(signal?.reason as Error)); // what the caller aborted with
    const unsubscribe = session.subscribe(
      () => {
        if (holds(session.state)) finish(resolve);
      },
      (error) => finish(() => reject(error)),
    );
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    else if (holds(session.state)) finish(resolve);
  });
}
