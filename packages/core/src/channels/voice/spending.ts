/** What of the budgets speech asks. */
import type { CostEstimate } from "../../contract/agent.ts";
import type { Usage } from "../../contract/message.ts";
import type { SpokenTo } from "../../contract/people.ts";
import type { SessionState } from "../../contract/session.ts";

/** @returns undefined: no budget has room for it, and nothing was requested. @throws what `request` throws. */
export type Spend = <Made extends { readonly usage?: Usage }>(
  state: SessionState,
  estimate: Omit<CostEstimate, "model">,
  request: () => Promise<Made>,
) => Promise<Made | undefined>;

/** In a group whoever spoke pays, and not who opened the turn that runs by now. */
export function paidBy(state: SessionState, { speaker }: SpokenTo): SessionState & SpokenTo {
  return speaker === undefined ? state : { ...state, speaker };
}
