/** People write line by line: the turn that answers them begins when they pause. */
import type { Clock, Millis } from "../contract/base.ts";
import type { Session, SessionState } from "../contract/session.ts";

/** Whoever writes on and on is answered all the same. */
const MAX_BURST_MS = 10_000;

/** @param burstMs of the channel that a message came from; 0: nobody is waited for. @returns how long it is to be waited for more; 0: no longer. */
export function burstLeft({ turn, pending }: SessionState, burstMs: (channel: string) => Millis, now: Millis): Millis {
  const [first, ...others] = pending;
  if (turn !== undefined || first?.message.from.kind !== "person") return 0;
  const ms = burstMs(first.replyTo.channel);
  const end = others.findIndex(({ joins }) => joins !== true);
  // Somebody else, or something else, waits behind them.
  if (ms === 0 || end >= 0) return 0;
  const last = others.at(-1) ?? first;
  return Math.max(0, Math.min(last.message.at + ms, first.message.at + MAX_BURST_MS) - now);
}

/** @throws `signal.reason` when aborted. */
export async function awaitBurst(
  session: Session,
  burstMs: (channel: string) => Millis,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const left = burstLeft(session.state, burstMs, clock.now());
    if (left <= 0) return;
    await clock.sleep(left, signal);
  }
}
