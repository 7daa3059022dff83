/** When rows are due for consolidation: counted at the start of a turn, before its own message counts (R148). */
import type { AgentSettings } from "../contract/agent.ts";
import type { SessionState } from "../contract/session.ts";

export function isDue(state: SessionState, settings: AgentSettings): boolean {
  const unseen = state.rows - state.consolidated;
  const reached = settings.memoryTrigger === "reach" ? unseen >= settings.memoryWindow : unseen > settings.memoryWindow;
  // A context of one row has nothing to give.
  return reached && state.messages.filter((message) => message.role !== "notice").length > 1;
}

/** Left by an earlier process: rows of a cleared context, or an answer that is not in the files. */
export function isUnfinished({ archive, answered }: SessionState): boolean {
  return archive.length > 0 || (answered !== undefined && answered.written !== true);
}
