/** What the sessions of one token may spend a day: `budgetUsdPerDay`. */
import { dailyWait } from "../api/daily-budget.ts";
import type { Services } from "../api/services.ts";
import { accountOf } from "./hear.ts";

/** @returns undefined while there is room, or when the token has no budget. */
export async function spentBudget(
  { app, auth }: Pick<Services, "app" | "auth">,
  token: string,
): Promise<{ readonly waitMs: number; readonly detail: string } | undefined> {
  const limit = auth.tokens().find(({ id }) => id === token)?.budgetUsdPerDay;
  const isOwn = (key: string): boolean => key.startsWith(sessionKey(token, "")) || key === accountOf(token);
  const waitMs = await dailyWait(isOwn, limit, app);
  return waitMs === undefined
    ? undefined
    : { waitMs, detail: `This token has spent its ${limit} US dollars of today.` };
}

/** Of a conversation of that token, in `/v1`. */
export function sessionKey(token: string, name: string): string {
  return `api:${token}:${name}`;
}
