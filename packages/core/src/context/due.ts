/** When rows are due for consolidation, and how small it has to make the prompt. Pure. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { SessionState } from "../contract/session.ts";
import type { TokenCounter } from "./tokens.ts";

/** Room for the summary of what left, which is not written yet when the cut is chosen. */
const SUMMARY_TOKENS = 2000;

/** Counted at the start of a turn, before its own message counts. */
export function isDue(state: SessionState, settings: AgentSettings): boolean {
  const unseen = state.rows - state.consolidated;
  const reached = settings.memoryTrigger === "reach" ? unseen >= settings.memoryWindow : unseen > settings.memoryWindow;
  // A context of one row has nothing to give.
  return reached && state.messages.filter((message) => message.role !== "notice").length > 1;
}

/** Tokens that may stay. @param window Of the model, without its answer. */
function targetTokens(window: number, { tokenTarget }: Pick<AgentSettings, "tokenTarget">): number {
  const target = Math.floor(window * tokenTarget);
  return target - Math.min(SUMMARY_TOKENS, Math.floor(target / 4));
}

/** Whether messages of so many tokens may stay. */
export function fitsTarget(
  { prefix, tokenFactor }: SessionState,
  { settings, counter }: { readonly settings: AgentSettings; readonly counter: Pick<TokenCounter, "total"> },
  window: number = settings.contextWindow - settings.maxTokens,
): (tokens: number) => boolean {
  const target = targetTokens(window, settings);
  return (tokens) => counter.total(prefix, tokens, tokenFactor) <= target;
}
