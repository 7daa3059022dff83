/** Bounds on spending: read with what is used of them, and replaced as a whole. */
import { type Budget } from "@margay/core";
import { sha256, visible } from "@margay/core/internal";
import { ofPeople } from "../../config/agent-settings.ts";
import type { z } from "zod";
import { announce } from "../../host/live/announce.ts";
import { openJournalFacts } from "../../host/live/journal-facts.ts";
import { sumOf } from "../../host/facts/spending.ts";
import { requireMatch, tagged, tagOf } from "../../host/api/etag.ts";
import { sessionKey } from "../../host/sessions/token-budget.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { route, type Route } from "../../host/api/route.ts";
import { BudgetsBody, BudgetsResult } from "./budgets-schema.ts";
import type { Services } from "../../host/api/services.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { startOf } from "../../host/api/periods.ts";
import { createWriteQueue } from "../../host/api/write-queue.ts";
import { TEXT } from "./api-texts.ts";

type Item = z.output<typeof BudgetsBody>["items"][number];

export const BUDGET_ROUTES: readonly Route[] = [
  route({
    id: "getBudgets",
    method: "GET",
    path: "/budgets",
    scope: "read",
    summary: "Bounds on spending, with what is used of those that span sessions.",
    response: BudgetsResult,
    handle: async ({ services, headers }) => {
      const body = await budgetsOf(services);
      // What is used changes with every request: only the bounds are the document, so nothing is answered with 304.
      return tagged({ ...headers, "if-none-match": undefined }, body.hash, body);
    },
  }),
  route({
    id: "putBudgets",
    method: "PUT",
    path: "/budgets",
    scope: "admin",
    summary: "Replaces the bounds. Raising or removing one needs a fresh proof.",
    body: BudgetsBody,
    response: BudgetsResult,
    errors: [
      "precondition.required",
      "precondition.failed",
      "settings.invalid",
      "settings.locked",
      "settings.unreadable-file",
    ],
    handle: (call) =>
      call.services.once(createWriteQueue)(async () => {
        const before = call.services.app.inside.loaded().config.budgets;
        requireMatch(call.headers, hashOf(before));
        const { items } = call.body;
        if (before.some((budget) => isLoosened(budget, items))) requireOwner(call, TEXT.raisingBudget);
        const budgets = items.map((item) => JSON.parse(JSON.stringify(item)) as Record<string, string | number>); // without what is undefined
        await changeSettings(patchEdits({ budgets: budgets.length === 0 ? null : budgets }, call), call, {
          dryRun: false,
        });
        announce(call.services, "usage", "budgets");
        const body = await budgetsOf(call.services);
        return { body, headers: { etag: tagOf(body.hash) } };
      }),
  }),
];

/** Each turn and each conversation has its own: there is no one sum to show. */
const EACH: ReadonlySet<string> = new Set<Budget["scope"]>(["turn", "session", "guest"]);

async function budgetsOf({ app, auth, once }: Services): Promise<z.input<typeof BudgetsResult>> {
  const { config, timeZone } = app.inside.loaded();
  const facts = await once(openJournalFacts).all();
  const gone = (await app.agent.sessions.gone?.()) ?? []; // deleted, and paid for all the same
  const spending = [...facts.flatMap((each) => each.spending), ...gone.flatMap(({ spent }) => spent)];
  const now = app.clock.now();
  const today = { since: startOf("day", now, timeZone, 0), resetsAt: startOf("day", now, timeZone, 1) };
  return {
    hash: hashOf(config.budgets),
    items: config.budgets.map((budget) => {
      if (EACH.has(budget.scope)) return { ...budget };
      const unit = budget.scope === "month" ? "month" : "day";
      const since = startOf(unit, now, timeZone, 0);
      const counted = spending.filter(
        ({ at, source, unattended, guest }) =>
          at >= since &&
          (budget.scope !== "source" || source === budget.source) &&
          (budget.scope !== "unattended" || unattended === true) &&
          (budget.scope !== "guests" || guest !== undefined),
      );
      const { input, output, costUsd } = sumOf(counted);
      return {
        ...budget,
        spent: { tokens: input + output, costUsd },
        reserved: app.agent.reservedTokens,
        resetsAt: startOf(unit, now, timeZone, 1),
      };
    }),
    people: ofPeople({ config, timeZone }).map(({ person, tokens, timeZone: zone }) => {
      const name = config.people[person]?.name;
      const since = startOf("day", now, zone, 0);
      const { input, output, costUsd } = sumOf(spending.filter((one) => one.at >= since && one.person === person));
      return {
        person,
        ...(name !== undefined && { name: visible(name) }),
        tokens,
        spent: { tokens: input + output, costUsd },
        resetsAt: startOf("day", now, zone, 1),
      };
    }),
    tokens: auth.tokens().flatMap(({ id, name, budgetUsdPerDay: usd }) => {
      if (usd === undefined) return [];
      const own = facts.filter(({ key }) => key.startsWith(sessionKey(id, ""))).flatMap((each) => each.spending);
      const { input, output, costUsd } = sumOf(own.filter(({ at }) => at >= today.since));
      const spent = { tokens: input + output, costUsd };
      return [{ scope: `token:${id}`, name, usd, spent, resetsAt: today.resetsAt }];
    }),
  };
}

function hashOf(budgets: readonly Budget[]): string {
  return sha256(JSON.stringify(budgets));
}

/** Whether nothing that is left bounds as much as this did. */
function isLoosened(before: Budget, after: readonly Item[]): boolean {
  return !after.some(
    (item) =>
      item.scope === before.scope &&
      item.source === before.source &&
      (before.action === "warn" || item.action !== "warn") &&
      (before.usd === undefined || (item.usd !== undefined && item.usd <= before.usd)) &&
      (before.tokens === undefined || (item.tokens !== undefined && item.tokens <= before.tokens)),
  );
}
