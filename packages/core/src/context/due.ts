/** When rows are due for consolidation, and how small it has to make the prompt. Pure. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Message } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";

/** Room for the summary of what left, which is not written yet when the cut is chosen. */
const SUMMARY_TOKENS = 2000;

/** Counted at the start of a turn, before its own message counts. */
export function isDue(state: SessionState, settings: AgentSettings): boolean {
  const unseen = state.rows - state.consolidated;
  const reached = settings.memoryTrigger === "reach" ? unseen >= settings.memoryWindow : unseen > settings.memoryWindow;
  // A context of one row has nothing to give.
  return reached && state.messages.filter((message) => message.role !== "notice").length > 1;
}

interface TargetDeps {
  readonly settings: AgentSettings;
  /** Estimated prompt tokens of a state. */
  readonly size: (state: SessionState) => number;
}

/** Tokens that may stay. @param window Of the model, without its answer. */
export function targetTokens(window: number, { settings }: Pick<TargetDeps, "settings">): number {
  const target = Math.floor(window * settings.tokenTarget);
  return target - Math.min(SUMMARY_TOKENS, Math.floor(target / 4));
}

export function fitsTarget(state: SessionState, deps: TargetDeps): (messages: readonly Message[]) => boolean {
  const target = targetTokens(deps.settings.contextWindow - deps.settings.maxTokens, deps);
  return (messages) => deps.size({ ...state, messages }) <= target;
}
