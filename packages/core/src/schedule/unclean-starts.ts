/** A process that dies again and again may die of what became due: after three such starts that waits for a person. */
import type { Millis } from "../contract/base.ts";

export interface StartNotes {
  /** When a process found that the one before had not ended cleanly, oldest first. */
  readonly unclean: readonly Millis[];
  /** Since when nothing becomes due by itself. */
  readonly heldSince?: Millis;
}

export const NO_STARTS: StartNotes = { unclean: [] };

const MOST = 3;
const WITHIN_MS = 5 * 60_000;

export function afterUncleanStart({ unclean, heldSince }: StartNotes, now: Millis): StartNotes {
  // What lies in the future was noted before the clock was set back.
  const recent = [...unclean.filter((at) => at <= now && now - at <= WITHIN_MS), now].slice(-MOST);
  const held = heldSince ?? (recent.length < MOST ? undefined : now);
  return { unclean: recent, ...(held !== undefined && { heldSince: held }) };
}
