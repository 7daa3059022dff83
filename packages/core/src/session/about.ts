/** What a store keeps beside the commits of a session, so that nobody has to read them to know what is to be done. */
import type { Millis } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";
import type { About, SessionSummary } from "../contract/store.ts";
import { isIdle } from "./idle.ts";
import { spendingFold } from "./spending.ts";

export function aboutOf(
  before: SessionState,
  commits: readonly Commit[],
  after: SessionState,
  summary: SessionSummary,
): About {
  const at = wakeAt(after);
  return {
    summary,
    ...(at !== undefined && { wakeAt: at }),
    deliver: [...new Set(after.outbox.map(({ to }) => to.channel))],
    spent: commits.flatMap(spendingFold(before)),
  };
}

/** Whoever looks finds what is to be done then. Undefined: nothing, as long as nobody writes. */
function wakeAt(state: SessionState): Millis | undefined {
  if (isIdle(state)) return undefined;
  return state.turn?.retryAt ?? state.updatedAt;
}
