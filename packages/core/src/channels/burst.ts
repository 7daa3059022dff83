/** People write line by line: the turn that answers them begins when they pause. */
import type { Clock, Millis } from "../contract/base.ts";
import type { Session, SessionState } from "../contract/session.ts";
import { addedTo } from "../lib/text.ts";

/** Whoever writes on and on is answered all the same. */
const MAX_BURST_MS = 10_000;

/** @param burstMs of the channel that a message came from; 0: nobody is waited for. @returns how long it is to be waited for more; 0: no longer. */
export function burstLeft({ turn, pending }: SessionState, burstMs: (channel: string) => Millis, now: Millis): Millis {
  const [first, ...others] = pending;
  if (turn !== undefined || first?.message.from.kind !== "person") return 0;
  const ms = burstMs(first.replyTo.channel);
  const last = others.at(-1) ?? first;
  // Somebody else, or something else, waits behind them; or the clock was set back, and nobody knows when that was written.
  if (ms === 0 || addedTo(first, others) < others.length || now < last.message.at) return 0;
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
