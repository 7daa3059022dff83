/** Slack lets each app look back some fifty times a minute: a few at once, then one by one. */
import type { Clock } from "@margay/core/plugin";

const EVERY_MS = 1200;
const AT_ONCE = 5;

export class Pace {
  readonly #clock: Clock;
  #next = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when it is our turn. @throws the reason of the signal. */
  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const at = Math.max(this.#next, now - AT_ONCE * EVERY_MS);
    this.#next = at + EVERY_MS;
    if (this.#next > now) await this.#clock.sleep(this.#next - now, signal);
  }
}
