/** Long-running parts under one signal: a part that throws starts again after a pause, and none ends another. */
import { type Clock, type Logger } from "@margay/core";
import { keepHeapSmall, messageOf } from "@margay/core/internal";

export interface Part {
  readonly name: string;
  /** Until aborted. Throws only what a restart might cure. */
  run(signal: AbortSignal): Promise<void>;
}

export interface RunOptions {
  readonly clock: Clock;
  readonly log: Logger;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** After this long a part counts as healthy: its next failure is its first. */
const HEALTHY_MS = 60_000;

/** By then what V8 compiled of the start is kept (chunk-loader.ts): a flag that is changed before would make it useless. */
const STARTED_MS = 10_000;

/** Resolves when all parts have ended, which they do after `signal` aborted or by themselves. */
export async function runParts(parts: readonly Part[], options: RunOptions, signal: AbortSignal): Promise<void> {
  void options.clock.sleep(STARTED_MS, signal).then(keepHeapSmall, () => {}); // aborted: it ends
  await Promise.all(parts.map((part) => keepRunning(part, options, signal)));
}

async function keepRunning(part: Part, { clock, log }: RunOptions, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const started = clock.monotonic();
    try {
      await part.run(signal);
      return;
    } catch (error) {
      if (signal.aborted) return;
      failures = clock.monotonic() - started >= HEALTHY_MS ? 1 : failures + 1;
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
      log.error("part.failed", { part: part.name, message: messageOf(error), pauseMs });
      await clock.sleep(pauseMs, signal).catch(() => {}); // aborted: the loop ends
    }
  }
}
