/** A paid request beside the conversations: a budget has room for it before, what it cost is journaled behind it. */
import type { Outlay, Paid } from "../../contract/agent.ts";
import type { Session } from "../../contract/session.ts";
import { NO_USAGE } from "../../lib/usage.ts";
import type { LoopDeps } from "../deps.ts";

/**
 * @param session Where the cost is counted.
 * @returns undefined when no budget has room for it; nothing was requested then.
 * @throws what `request` throws; nothing is counted then.
 */
export async function spend<Value>(
  session: Session,
  { purpose, model, tokens }: Outlay,
  request: () => Promise<Paid<Value>>,
  { budget }: Pick<LoopDeps, "budget">,
): Promise<Paid<Value> | undefined> {
  const { state } = session;
  if ((await budget.reserve(state, tokens, purpose)) !== undefined) return undefined;
  let usage = NO_USAGE;
  let paid: Paid<Value>;
  try {
    paid = await request();
    ({ usage } = paid);
  } finally {
    budget.settle(state, tokens, usage, purpose);
  }
  await session.commit({ type: "usage.counted", purpose, model, usage });
  return paid;
}
