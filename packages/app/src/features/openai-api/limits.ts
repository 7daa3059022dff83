/** What may keep a token from asking at all: the emergency stop, its rate, its budget of the day. */
import { Problem } from "../../host/api/problem.ts";
import type { Services } from "../../host/api/services.ts";
import { estopped, NO_RETRY } from "./errors.ts";
import { spentBudget } from "../../host/sessions/token-budget.ts";

/** @throws Problem `system.estopped`, `rate.exceeded`. */
export async function checkLimits({ app, auth, rates }: Services, token: string): Promise<void> {
  if (app.inside.stopFlag.on) throw estopped();
  rates.take(`sends:${token}`, app.inside.loaded().config.gateway.limits.sendsPerMinute);
  const spent = await spentBudget({ app, auth }, token);
  if (spent !== undefined)
    throw new Problem("rate.exceeded", {
      detail: spent.detail,
      more: { code: "insufficient_quota", param: null, type: "insufficient_quota" },
      headers: { ...NO_RETRY, "retry-after": String(Math.max(1, Math.ceil(spent.waitMs / 1000))) },
    });
}
