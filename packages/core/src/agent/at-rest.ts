/** A session at rest: no turn is open and no message waits. */
import type { Session, SessionState } from "../contract/session.ts";

export function isAtRest({ turn, pending }: SessionState): boolean {
  return turn === undefined && pending.length === 0;
}

/** Resolves when the session is at rest. @throws `signal.reason` when aborted. */
export function atRest(session: Session, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      unsubscribe();
      signal.removeEventListener("abort", onAbort);
      settle();
    };
    const onAbort = (): void => finish(() => reject(signal.reason as Error)); // what the caller aborted with
    const unsubscribe = session.subscribe(() => {
      if (isAtRest(session.state)) finish(resolve);
    });
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    else if (isAtRest(session.state)) finish(resolve);
  });
}
