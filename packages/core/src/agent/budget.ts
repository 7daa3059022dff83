/** Hard limits on spending: checked before each request, counted after it (PR26). */
import type { Budget } from "../contract/agent.ts";
import type { Clock, Millis } from "../contract/base.ts";
import type { Usage } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";
import { addUsage, NO_USAGE } from "../lib/usage.ts";

/** Which budget a request would exceed. */
export interface Exceeded {
  readonly budget: Budget;
  readonly used: number;
}

export interface BudgetLedger {
  /** Tokens booked for requests under way. */
  readonly booked: number;
  /** Books `tokens` until `settle`; the first budget that has no room for them is returned and nothing is booked. */
  reserve(state: SessionState, tokens: number): Promise<Exceeded | undefined>;
  /** Takes the booking back and counts what was really used. */
  settle(state: SessionState, tokens: number, usage: Usage): void;
}

export interface Spending {
  readonly at: Millis;
  readonly source: string;
  readonly usage: Usage;
}

export interface BudgetOptions {
  readonly budgets: () => readonly Budget[];
  readonly clock: Clock;
  readonly timeZone: () => string;
  /** What all sessions spent since a time; read once, and only when a budget spans sessions. */
  readonly spent: (since: Millis) => Promise<readonly Spending[]>;
  readonly warn: (exceeded: Exceeded) => void;
}

export function createBudget({ budgets, clock, timeZone, spent, warn }: BudgetOptions): BudgetLedger {
  let booked = 0;
  let ledger: Spending[] | undefined;

  const total = (since: Millis, source: string | undefined): Usage => {
    let sum = NO_USAGE;
    for (const item of ledger ?? [])
      if (item.at >= since && (source === undefined || item.source === source)) sum = addUsage(sum, item.usage);
    return sum;
  };

  const usedBy = (budget: Budget, state: SessionState): Usage => {
    switch (budget.scope) {
      case "turn":
        return state.turn?.usage ?? NO_USAGE;
      case "session":
        return state.usage;
      case "day":
        return total(startOf("day", clock.now(), timeZone()), undefined);
      case "month":
        return total(startOf("month", clock.now(), timeZone()), undefined);
      case "source":
        return total(startOf("day", clock.now(), timeZone()), budget.source);
    }
  };

  return {
    get booked() {
      return booked;
    },
    reserve: async (state, tokens) => {
      const list = budgets().filter((budget) => budget.scope !== "source" || budget.source === state.origin.channel);
      if (list.length === 0) return undefined;
      if (ledger === undefined && list.some((budget) => budget.scope !== "turn" && budget.scope !== "session"))
        ledger = [...(await spent(startOf("month", clock.now(), timeZone())))];
      for (const budget of list) {
        const used = usedBy(budget, state);
        const elsewhere = budget.scope === "turn" || budget.scope === "session" ? 0 : booked;
        const overTokens = budget.tokens !== undefined && used.input + used.output + elsewhere + tokens > budget.tokens;
        // The price of a request is known only afterwards: money is checked against what is spent.
        const overMoney = budget.usd !== undefined && (used.costUsd ?? 0) >= budget.usd;
        if (!overTokens && !overMoney) continue;
        const exceeded: Exceeded = { budget, used: used.input + used.output };
        if (budget.action !== "warn") return exceeded;
        warn(exceeded);
      }
      booked += tokens;
      return undefined;
    },
    settle: (state, tokens, usage) => {
      booked = Math.max(0, booked - tokens);
      ledger?.push({ at: clock.now(), source: state.origin.channel, usage });
    },
  };
}

/** Midnight, or the first of the month, before `at` in a time zone. */
function startOf(unit: "day" | "month", at: Millis, timeZone: string): Millis {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    hourCycle: "h23",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(at);
  const value = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const days = unit === "month" ? value("day") - 1 : 0;
  return at - (((days * 24 + value("hour")) * 60 + value("minute")) * 60 + value("second")) * 1000 - (at % 1000);
}
