/** Hard limits on spending: checked before each request, counted after it. */
import type { Budget } from "../../contract/agent-options.ts";
import type { Clock, Millis } from "../../contract/base.ts";
import type { Usage } from "../../contract/message.ts";
import type { SessionState } from "../../contract/session.ts";
import type { SpentRequest } from "../../contract/store.ts";
import type { Soon } from "../../lib/async/after.ts";
import { agentsIn, isGroup } from "../../lib/audience.ts";
import { addUsage, NO_USAGE } from "../../lib/usage.ts";
import { guestOf, personOf } from "../../session/spending.ts";
import { createHeld, type Places, placesOf } from "./held.ts";

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
   * `purpose`: as `SpentRequest` says it, default a turn. `isFree`: it costs nothing, so no bound in money stops it.
   */
  reserve(
    state: SessionState,
    tokens: number,
    asked?: { readonly purpose?: string; readonly isFree?: boolean },
  ): Soon<Exceeded | undefined>;
  /**
   * Asked when what somebody beside the owner may use of a day is used up: from now on they were told.
   * @returns whether they were before, today. In a group nobody is told: others read along.
   */
  wasTold(state: SessionState, budget: Budget): boolean;
  /** Takes the booking back and counts what was really used. */
  settle(state: SessionState, tokens: number, usage: Usage, purpose?: string): void;
}

export type Spending = Pick<SpentRequest, "at" | "source" | "usage"> & Places;

export interface BudgetOptions {
  readonly budgets: () => readonly Budget[];
  readonly clock: Clock;
  readonly timeZone: () => string;
  /** What all sessions spent since a time; read once, and only when a budget spans sessions. */
  readonly spent: (since: Millis) => Promise<readonly Spending[]>;
  readonly warn: (exceeded: Exceeded) => void;
}

const TURN = "turn";
const DAY_MS: Millis = 86_400_000;

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

export function createBudget({ budgets, clock, timeZone, spent, warn }: BudgetOptions): BudgetLedger {
  const held = createHeld();
  let ledger: Spending[] | undefined;

  const total = (since: Millis, counts: (item: Spending) => boolean): Usage => {
    let sum = NO_USAGE;
    for (const item of ledger ?? []) if (item.at >= since && counts(item)) sum = addUsage(sum, item.usage);
    return sum;
  };

  const usedBy = (budget: Budget, state: SessionState): Usage => {
    if (budget.scope === "turn") return state.turn?.usage ?? NO_USAGE;
    if (budget.scope === "session") return state.usage;
    const guest = guestOf(state);
    const since = startOf(budget.scope === "month" ? "month" : "day", clock.now(), budget.timeZone ?? timeZone());
    return total(since, (item) => isCounted(budget, item) && (budget.scope !== "guest" || item.guest === guest));
  };

  /** Of requests under way that this budget counts too. */
  const bookedFor = ({ scope, person = "", agent = "" }: Budget, state: SessionState): number => {
    if (scope === "turn" || scope === "session") return 0;
    if (scope === "person") return held.among(`person ${person}`);
    if (scope === "agent") return held.among(`agent ${agent}`);
    if (scope === "guest") return held.among(`guest ${guestOf(state) ?? ""}`);
    return scope === "unattended" || scope === "guests" ? held.among(scope) : held.all;
  };

  const book = (
    list: readonly Budget[],
    state: SessionState,
    tokens: number,
    places: Places,
    isFree: boolean,
  ): Exceeded | undefined => {
    for (const budget of list) {
      const used = usedBy(budget, state);
      const overTokens =
        budget.tokens !== undefined && used.input + used.output + bookedFor(budget, state) + tokens > budget.tokens;
      // The price of a request is known only afterwards: money is checked against what is spent.
      const overMoney = !isFree && budget.usd !== undefined && (used.costUsd ?? 0) >= budget.usd;
      if (!overTokens && !overMoney) continue;
      const exceeded: Exceeded = { budget, used: used.input + used.output };
      if (budget.action !== "warn") return exceeded;
      warn(exceeded);
    }
    held.hold(state, tokens, places);
    return undefined;
  };

  return {
    wasTold: onceADay({ clock, timeZone }),
    get booked() {
      return held.all;
    },
    reserve: (state, tokens, { purpose = TURN, isFree = false } = {}) => {
      const places = placesOf(state, purpose);
      const list = budgetsOf(budgets(), state, places);
      const isKnown = ledger !== undefined || list.every(({ scope }) => scope === "turn" || scope === "session");
      if (isKnown) return book(list, state, tokens, places, isFree);
      // Somebody's day may have begun before the home's month did.
      return spent(startOf("month", clock.now(), timeZone()) - 2 * DAY_MS).then((before) => {
        ledger = [...before];
        return book(list, state, tokens, places, isFree);
      });
    },
    settle: (state, tokens, usage, purpose = TURN) => {
      const places = held.release(state, tokens, placesOf(state, purpose));
      ledger?.push({ at: clock.now(), source: state.origin.channel, ...places, usage });
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
function budgetsOf(stated: readonly Budget[], { origin }: SessionState, places: Places): readonly Budget[] {
  const all = [...stated, ...OF_GUESTS.filter(({ scope }) => !stated.some((one) => one.scope === scope))];
  return all.filter((budget) => isCounted(budget, { source: origin.channel, ...places }));
}

function isCounted(
  budget: Budget,
  { source, unattended, guest, person, agent }: Places & Pick<Spending, "source">,
): boolean {
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
