/** How long a channel may take to end what it does when it is told to. */
import type { Clock } from "../contract/base.ts";

const GRACE_MS = 2000;

/** Resolves when it is over, or has taken too long. */
export async function withinGrace(over: Promise<unknown>, clock: Clock): Promise<void> {
  const late = Promise.withResolvers<void>();
  using _timer = clock.timer(GRACE_MS, late.resolve);
  await Promise.race([over, late.promise]);
}
