/** When rows are due for consolidation: counted at the start of a turn, before its own message counts. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { SessionState } from "../contract/session.ts";

export function isDue(state: SessionState, settings: AgentSettings): boolean {
  const unseen = state.rows - state.consolidated;
  const reached = settings.memoryTrigger === "reach" ? unseen >= settings.memoryWindow : unseen > settings.memoryWindow;
  // A context of one row has nothing to give.
  return reached && state.messages.filter((message) => message.role !== "notice").length > 1;
}
