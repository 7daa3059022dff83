/** A channel's `run`, again after each failure, until the signal aborts. */
import type { Clock, Millis } from "../contract/base.ts";
import type { ChannelFaultKind } from "../contract/record.ts";
import { untilAborted } from "../lib/async/abort.ts";
import { ChannelFault } from "../lib/errors/channel-fault.ts";
import { hasCode, RuntimeError } from "../lib/errors/errors.ts";

export interface KeepRunningOptions {
  readonly run: (signal: AbortSignal) => Promise<unknown>;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Told of each end that nobody asked for. @param pauseMs undefined: only other settings can cure it. */
  readonly failed: (error: unknown, pauseMs: Millis | undefined) => void;
}

/** Only other settings, or another login, can cure these. */
const UNTIL_CHANGED: readonly ChannelFaultKind[] = ["auth", "config"];
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 300_000;
/** Whatever a platform asks for: by then it has forgotten that. */
const LONGEST_ASKED_MS = 86_400_000;
/** What ran that long has begun anew: its next failure is a first one. */
const STEADY_MS = 300_000;

/**
 * Before the next attempt, of anything that a channel does: twice as long each time, up to five minutes.
 * @param attempts So many have failed. @param random Absent: exactly so long; else not all at the same moment.
 * @param asked What the platform asked for: it is waited for, and a little more, whatever the attempt.
 */
export function backoff(attempts: number, random?: () => number, asked?: Millis): Millis {
  const uniform = random?.() ?? 0.5;
  if (asked !== undefined) return Math.min(LONGEST_ASKED_MS, Math.ceil(asked * (1 + uniform / 10)));
  const usual = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, attempts - 1));
  return Math.round(usual * (0.8 + uniform * 0.4));
}

export async function keepRunning(options: KeepRunningOptions, signal: AbortSignal): Promise<void> {
  const { run, clock, random, failed } = options;
  let failures = 0;
  while (!signal.aborted) {
    const begun = clock.monotonic();
    const error = await run(signal).then(
      () => new RuntimeError("channel.failed", "The channel stopped receiving by itself. It is started again."),
      (thrown: unknown) => thrown,
    );
    if (signal.aborted) return;
    if (hasCode(error, "config.invalid") || (error instanceof ChannelFault && UNTIL_CHANGED.includes(error.kind))) {
      failed(error, undefined);
      return untilAborted(signal);
    }
    failures = clock.monotonic() - begun >= STEADY_MS ? 1 : failures + 1;
    const pauseMs = backoff(failures, random, error instanceof ChannelFault ? error.retryAfterMs : undefined);
    failed(error, pauseMs);
    await clock.sleep(pauseMs, signal).catch(() => {}); // aborted: the loop ends
  }
}
