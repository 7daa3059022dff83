/** What is known of a channel while it runs. */
import type { Millis } from "@margay/core/internal";

export interface ChannelStatus {
  readonly state: "starting" | "up" | "retrying" | "failed" | "paused";
  readonly since: Millis;
  readonly error?: string;
  readonly lastIn?: Millis;
  readonly lastOut?: Millis;
  /** Who we are on the platform. */
  readonly account?: string;
  /** When its platform gave the last sign of life. */
  readonly lastFrame?: Millis;
  /** How often it began to receive anew in the last 24 hours. */
  readonly reconnects?: number;
  /** Until then the platform wants nothing of us. */
  readonly limitedUntil?: Millis;
  /** To what we said, since it was switched on. */
  readonly reactions?: number;
}
