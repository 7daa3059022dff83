/** A paid request beside the conversations: a budget has room for it before, what it cost is journaled behind it. */
import type { CostEstimate, WithUsage } from "../../contract/agent.ts";
import type { Session } from "../../contract/session.ts";
import { NO_USAGE } from "../../lib/usage.ts";
import type { ModelDeps } from "../deps.ts";

/**
 * @param session Where the cost is counted.
 * @returns undefined when no budget has room for it; nothing was requested then.
 * @throws what `request` throws; nothing is counted then.
 */
export async function countCost<Value>(
  session: Session,
  { purpose, model, tokens }: CostEstimate,
  request: () => Promise<WithUsage<Value>>,
  { budget }: Pick<ModelDeps, "budget">,
): Promise<WithUsage<Value> | undefined> {
  const { state } = session;
  if ((await budget.reserve(state, tokens, purpose)) !== undefined) return undefined;
  let usage = NO_USAGE;
  let counted: WithUsage<Value>;
  try {
    counted = await request();
    ({ usage } = counted);
  } finally {
    budget.settle(state, tokens, usage, purpose);
  }
  await session.commit({ type: "usage.counted", purpose, model, usage });
  return counted;
}
