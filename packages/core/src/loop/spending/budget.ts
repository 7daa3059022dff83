/** Hard limits on spending: checked before each request, counted after it. */
import type { Budget } from "../../contract/agent-options.ts";
import type { Clock, Millis } from "../../contract/base.ts";
import type { Usage } from "../../contract/message.ts";
import type { SessionState } from "../../contract/session.ts";
import type { Ledger, Limit, Places } from "../../contract/spending.ts";
import { after, type Soon } from "../../lib/async/after.ts";
import { agentsIn, isGroup } from "../../lib/audience.ts";
import { NO_USAGE } from "../../lib/usage.ts";
import { guestOf, personOf, placesOf } from "../../session/spending.ts";

/** Which budget a request would exceed. */
export interface Exceeded {
  readonly budget: Budget;
  readonly used: number;
}

export interface BudgetLedger {
  /** Tokens booked for requests under way. */
  readonly booked: number;
  /**
   * Books `tokens` until `settle`; the first budget that has no room for them is returned and nothing is booked.
   * `purpose`: as `SpentRequest` says it, default a turn. `isFree`: it costs nothing, so no bound in money stops it. `usd`: what it
   * may cost at most; undefined: nobody knows.
   */
  reserve(
    state: SessionState,
    tokens: number,
    asked?: { readonly purpose?: string; readonly isFree?: boolean; readonly usd?: number | undefined },
  ): Soon<Exceeded | undefined>;
  /**
   * Asked when what somebody beside the owner may use of a day is used up: from now on they were told.
   * @returns whether they were before, today. In a group nobody is told: others read along.
   */
  wasTold(state: SessionState, budget: Budget): boolean;
  /** Takes the booking back, and counts what was really used where it was booked: who reads along may have changed meanwhile. */
  settle(state: SessionState, tokens: number, usage: Usage): void;
}

export interface BudgetOptions {
  readonly budgets: () => readonly Budget[];
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly timeZone: () => string;
  readonly warn: (exceeded: Exceeded) => void;
}

const TURN = "turn";

/** Whoever is admitted and no operator: what they spend leaves the operator's day alone. */
const OF_GUESTS: readonly Budget[] = [
  { scope: "guest", tokens: 50_000 },
  { scope: "guests", tokens: 300_000 },
];

const SHARES: ReadonlySet<Budget["scope"]> = new Set(["person", "guest", "guests"]);

/** Whether it is what somebody beside the owner may use of a day. */
export function isShare({ scope }: Pick<Budget, "scope">): boolean {
  return SHARES.has(scope);
}

export function createBudget({ budgets, ledger, clock, timeZone, warn }: BudgetOptions): BudgetLedger {
  /** Of requests under way, by session and size. */
  const bookings = new Map<string, readonly string[]>();
  const nameOf = ({ id }: SessionState, tokens: number): string => `${id} ${tokens}`;

  /** What a turn or a session has used is known from its state. */
  const isOver = (budget: Budget, state: SessionState, tokens: number, isFree: boolean): Exceeded | undefined => {
    const used = (budget.scope === "turn" ? state.turn?.usage : state.usage) ?? NO_USAGE;
    const sum = used.input + used.output;
    const overTokens = budget.tokens !== undefined && sum + tokens > budget.tokens;
    const overMoney = !isFree && budget.usd !== undefined && (used.costUsd ?? 0) >= budget.usd;
    return overTokens || overMoney ? { budget, used: sum } : undefined;
  };

  const limitOf = (budget: Budget, { guest }: Places, isFree: boolean): Limit => {
    const { scope, tokens, usd, source, person, agent } = budget;
    return {
      since: startOf(scope === "month" ? "month" : "day", clock.now(), budget.timeZone ?? timeZone()),
      ...(scope === "source" && { source: source ?? "" }),
      ...(scope === "unattended" && { unattended: true }),
      ...(scope === "guest" && { guest: guest ?? "" }),
      ...(scope === "guests" && { guest: true }),
      ...(scope === "person" && person !== undefined && { person }),
      ...(scope === "agent" && { agent: agent ?? "" }),
      ...(tokens !== undefined && { tokens }),
      ...(usd !== undefined && !isFree && { usd }),
      ...(budget.action === "warn" && { warns: true }),
    };
  };

  return {
    wasTold: onceADay({ clock, timeZone }),
    get booked() {
      return ledger.booked;
    },
    reserve: (state, tokens, { purpose = TURN, isFree = false, usd } = {}) => {
      const places = placesOf(state, purpose);
      const limits = new Map<Limit, Budget>();
      for (const budget of budgetsOf(budgets(), places)) {
        if (budget.scope !== "turn" && budget.scope !== "session") {
          limits.set(limitOf(budget, places, isFree), budget);
          continue;
        }
        const exceeded = isOver(budget, state, tokens, isFree);
        if (exceeded !== undefined && budget.action !== "warn") return exceeded;
        if (exceeded !== undefined) warn(exceeded);
      }
      return after(
        ledger.book([...limits.keys()], places, { tokens, ...(usd !== undefined && !isFree && { usd }) }),
        ({ booking, over }): Exceeded | undefined => {
          const exceeded = over.flatMap(({ limit, used }) => {
            const budget = limits.get(limit);
            return budget === undefined ? [] : [{ budget, used }];
          });
          for (const one of exceeded) if (one.budget.action === "warn") warn(one);
          if (booking === undefined) return exceeded.at(-1);
          const name = nameOf(state, tokens);
          bookings.set(name, [...(bookings.get(name) ?? []), booking]);
          return undefined;
        },
      );
    },
    settle: (state, tokens, usage) => {
      const name = nameOf(state, tokens);
      const [booking, ...others] = bookings.get(name) ?? [];
      if (others.length > 0) bookings.set(name, others);
      else bookings.delete(name);
      if (booking !== undefined) ledger.settle(booking, usage);
    },
  };
}

function onceADay({ clock, timeZone }: Pick<BudgetOptions, "clock" | "timeZone">): BudgetLedger["wasTold"] {
  /** When whoever pays was last told, in any of their conversations. */
  const told = new Map<string, Millis>();
  return (state, { timeZone: own = timeZone() }) => {
    if (isGroup(state.audience)) return true;
    const now = clock.now();
    const payer = personOf(state) ?? `guest ${guestOf(state) ?? ""}`;
    // The journal knows of this conversation alone; it is what is left over a restart.
    const last = Math.max(told.get(payer) ?? 0, state.shareToldAt ?? 0);
    if (last >= startOf("day", now, own)) return true;
    told.set(payer, now);
    return false;
  };
}

/** Those that count what a request of a session spends. */
function budgetsOf(stated: readonly Budget[], places: Places): readonly Budget[] {
  const all = [...stated, ...OF_GUESTS.filter(({ scope }) => !stated.some((one) => one.scope === scope))];
  return all.filter((budget) => isCounted(budget, places));
}

function isCounted(budget: Budget, { source, unattended, guest, person, agent }: Places): boolean {
  if (budget.scope === "source") return source === budget.source;
  if (budget.scope === "unattended") return unattended === true;
  if (budget.scope === "person") return person !== undefined && person === budget.person;
  if (budget.scope === "agent") return agent !== undefined && agentsIn(agent).includes(budget.agent ?? "");
  return (budget.scope !== "guest" && budget.scope !== "guests") || guest !== undefined;
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
