/** A connection that nothing comes over is dead, whatever the system says: it is left, and made anew. */
import { type Channel, type Clock, RuntimeError } from "@margay/core";
import { type Millis, raceAbort } from "@margay/core/internal";

export interface Heard {
  readonly channel: Channel;
  /** When a frame came last, by the clock that is never set back. */
  heardAt: Millis;
}

export interface Silence {
  readonly clock: Clock;
  /** Its platform calls us: there is no connection that could be dead. */
  readonly isCalled: () => boolean;
}

/** Between two looks at the clock of the day. */
const LOOK_MS = 10_000;
/** What is longer nobody was awake for. */
const SLEPT_MS = 60_000;

/** Once. A platform that is silent for too long is left, and connected to anew. @throws as `run`; `channel.failed`. */
export async function runWatched(
  { clock, isCalled }: Silence,
  one: Heard,
  inbox: Parameters<Channel["run"]>[0],
  signal: AbortSignal,
): Promise<void> {
  const { channel } = one;
  const { silenceMs } = channel.can;
  if (silenceMs === undefined) return channel.run(inbox, signal);
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  one.heardAt = clock.monotonic();
  const watch = async (): Promise<void> => {
    for (;;) {
      const left = isCalled() ? silenceMs : one.heardAt + silenceMs - clock.monotonic();
      if (left <= 0) break;
      const begun = clock.now();
      await clock.sleep(Math.min(left, LOOK_MS), until);
      // Timers stand still in a machine that sleeps, and its connections are dead when it wakes.
      if (isCalled() || clock.now() - begun < LOOK_MS + SLEPT_MS) continue;
      return over.abort(
        new RuntimeError(
          "channel.failed",
          `The machine was asleep, or its clock was set. ${channel.id} is connected anew.`,
        ),
      );
    }
    const seconds = Math.round(silenceMs / 1000);
    over.abort(
      new RuntimeError(
        "channel.failed",
        `Nothing came from the platform of ${channel.id} for ${seconds} s. It is connected anew.`,
      ),
    );
  };
  watch().catch(() => {}); // it is over
  try {
    await raceAbort(channel.run(inbox, until), until);
  } catch (error) {
    signal.throwIfAborted();
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    over.abort(new Error("it is over"));
  }
}
