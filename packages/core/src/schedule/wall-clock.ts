/** Wall-clock time → the instant it means, over changes of the clock. */
import type { Millis } from "../contract/base.ts";
import type { ZonedTime } from "../lib/zoned-time.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * The first instant at which clocks show `wall`. A time that clocks jump over means the instant they jump to.
 * @param wall the time shown, as if it were UTC.
 */
export function firstInstant(wall: Millis, zone: (at: Millis) => ZonedTime): Millis {
  const offsets = [zone(wall - DAY_MS).offset, zone(wall + DAY_MS).offset].map((minutes) => minutes * MINUTE_MS);
  const candidates = offsets.map((offset) => wall - offset).toSorted((a, b) => a - b);
  const shown = candidates.find((at) => wallOf(at, zone) === wall);
  if (shown !== undefined) return shown;
  const [before = wall, after = wall] = candidates;
  return endOfGap(before, after, zone);
}

/** What clocks show at an instant, as if it were UTC. */
export function wallOf(at: Millis, zone: (at: Millis) => ZonedTime): Millis {
  return at + zone(at).offset * MINUTE_MS;
}

/** The instant between two at which the offset changes. */
function endOfGap(before: Millis, after: Millis, zone: (at: Millis) => ZonedTime): Millis {
  const old = zone(before).offset;
  let low = before;
  let high = after;
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000;
    if (middle <= low) break;
    if (zone(middle).offset === old) low = middle;
    else high = middle;
  }
  return high;
}
