/** What is known of a channel while it runs. */
import { ChannelFault, type Millis } from "@margay/core/internal";

export interface ChannelStatus {
  /** `degraded`: it receives, and a part of the rest does not work. */
  readonly state: "starting" | "up" | "degraded" | "retrying" | "failed" | "paused";
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
  /** What is said while nobody listens comes later in part, or not at all. */
  readonly history?: "part" | "none";
  /** To what we said, since it was switched on. */
  readonly reactions?: number;
}

/** What does not work of a channel that is up. */
export interface Broken {
  /** Why, as it says itself. */
  says?: string | undefined;
  /** Why nothing leaves. */
  sends?: string | undefined;
  /** Sends in a row that failed, and not for what was sent. */
  failed: number;
  since?: Millis | undefined;
}

/** So many in a row are no accident. */
const FAILED_SENDS = 3;
/** These are no matter of one message or one chat; nor is a bug. */
const OF_ALL: readonly (ChannelFault["kind"] | undefined)[] = ["again", "auth", "config", undefined];
const FOR_A_PERSON: readonly (ChannelFault["kind"] | undefined)[] = ["auth", "config"];

export function noteSend(broken: Broken, now: Millis, error?: unknown, text?: string): void {
  const kind = error instanceof ChannelFault ? error.kind : undefined;
  if (error === undefined) Object.assign(broken, { failed: 0, sends: undefined });
  else if (OF_ALL.includes(kind)) broken.failed += 1;
  if (broken.failed >= FAILED_SENDS || (error !== undefined && FOR_A_PERSON.includes(kind))) broken.sends = text;
  noteTime(broken, now);
}

export function noteWord(broken: Broken, now: Millis, reason: string | undefined): void {
  broken.says = reason;
  noteTime(broken, now);
}

function noteTime(broken: Broken, now: Millis): void {
  broken.since = broken.says === undefined && broken.sends === undefined ? undefined : (broken.since ?? now);
}

/** As it is shown: what is up, and works in part. */
export function withBroken(status: ChannelStatus, { says, sends, since = status.since }: Broken): ChannelStatus {
  const error = says ?? sends;
  return status.state !== "up" || error === undefined ? status : { ...status, state: "degraded", since, error };
}
