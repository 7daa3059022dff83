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
/** What ran that long has begun anew: its next failure is a first one. */
const STEADY_MS = 300_000;

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
    const usual = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    const pauseMs = Math.round(usual * (0.8 + random() * 0.4)); // not all at the same moment
    failed(error, pauseMs);
    await clock.sleep(pauseMs, signal).catch(() => {}); // aborted: the loop ends
  }
}
