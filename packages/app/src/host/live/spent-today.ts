/** What was spent since midnight in all conversations, those that are gone too, beside the bound of the day. */
import { startOf } from "../api/periods.ts";
import type { Services } from "../api/services.ts";
import { sumOf, type Spent } from "../facts/spending.ts";
import { openJournalFacts } from "./journal-facts.ts";

/** Reads the journals that went on today alone: a home may hold thousands. */
export async function spentToday({
  app,
  once,
}: Services): Promise<Pick<Spent, "costUsd" | "input" | "output"> & { readonly dayUsd?: number }> {
  const { sessions } = app.agent;
  const { config, timeZone } = app.inside.loaded();
  const since = startOf("day", app.clock.now(), timeZone, 0);
  const ids = (await sessions.list()).filter(({ updatedAt }) => updatedAt >= since).map(({ id }) => id);
  const facts = await Promise.all(ids.map((id) => once(openJournalFacts).of(id)));
  const gone = (await sessions.gone?.()) ?? []; // deleted, and paid for all the same
  const spent = [...facts.flatMap((one) => one?.spending ?? []), ...gone.flatMap(({ spent: before }) => before)];
  const dayUsd = config.budgets.find(({ scope, usd }) => scope === "day" && usd !== undefined)?.usd;
  return { ...sumOf(spent.filter(({ at }) => at >= since)), ...(dayUsd !== undefined && { dayUsd }) };
}
