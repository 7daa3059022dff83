/** How small a consolidation has to make the prompt. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Message } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";

/** Room for the summary of what left, which is not written yet when the cut is chosen. */
const SUMMARY_TOKENS = 2000;

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
