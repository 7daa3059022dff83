// What a journal says must be in the log.
import type { Millis } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import { createFactFold } from "../facts/turn-facts.ts";

/** A call, a turn's end or an answer that is younger than the newest line. */
export interface Owed {
  /** The key of its session. */
  readonly session: string;
  readonly at: Millis;
  /** Somebody may be about to write it. */
  readonly pending: boolean;
}

/**
 * The newest that the log must have of one journal, as it has a line for each: what only began is in no log yet, what a
 * fork copied or another program told is in none. What stands before damage counts.
 * @param commits From the first on.
 */
export async function newestFact(
  commits: AsyncIterable<Commit>,
  since: Millis,
): Promise<Omit<Owed, "pending"> | undefined> {
  const fold = createFactFold();
  let at = since;
  try {
    for await (const commit of commits) if (fold.apply(commit).length > 0) at = Math.max(at, commit.at);
  } catch {
    // Whoever reads it for its own sake says what is wrong with it.
  }
  return at > since ? { session: fold.key, at } : undefined;
}
