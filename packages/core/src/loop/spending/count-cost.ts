/** A paid request beside the conversations: a budget has room for it before, what it cost is journaled behind it. */
import type { CostEstimate, WithUsage } from "../../contract/agent.ts";
import type { Usage } from "../../contract/message.ts";
import type { Session, SessionState } from "../../contract/session.ts";
import { NO_USAGE } from "../../lib/usage.ts";
import type { ModelDeps } from "../deps.ts";

/**
 * @param session Where the cost is counted.
 * @returns undefined when no budget has room for it; nothing was requested then.
 * @throws what `request` throws; nothing is counted then.
 */
export async function countCost<Value>(
  session: Session,
  { model, ...estimate }: CostEstimate,
  request: () => Promise<WithUsage<Value>>,
  deps: Pick<ModelDeps, "budget">,
): Promise<WithUsage<Value> | undefined> {
  const counted = await withinBudget(session.state, estimate, request, deps);
  const { purpose } = estimate;
  if (counted !== undefined) await session.commit({ type: "usage.counted", purpose, model, usage: counted.usage });
  return counted;
}

/** The same for who journals by themselves what it cost. */
export async function withinBudget<Made extends { readonly usage?: Usage }>(
  state: SessionState,
  { purpose, tokens }: Omit<CostEstimate, "model">,
  request: () => Promise<Made>,
  { budget }: Pick<ModelDeps, "budget">,
): Promise<Made | undefined> {
  if ((await budget.reserve(state, tokens, { purpose })) !== undefined) return undefined;
  let usage: Usage = NO_USAGE;
  try {
    const made = await request();
    ({ usage = NO_USAGE } = made);
    return made;
  } finally {
    budget.settle(state, tokens, usage);
  }
}
