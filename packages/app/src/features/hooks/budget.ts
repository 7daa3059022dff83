/** What a webhook may spend a day: `budgetUsdPerDay`. */
import type { App } from "../../app.ts";
import { dailyWait } from "../../host/api/daily-budget.ts";

/** @returns how long nothing more is accepted, in milliseconds; undefined: there is room. */
export function budgetWait(name: string, limit: number | undefined, app: App): Promise<number | undefined> {
  return dailyWait((key) => key === `hook:${name}` || key.startsWith(`hook:${name}:`), limit, app);
}
