/** The ledger of one process: what the journals say was spent, what was spent since they were read, and what is booked. */
import type { Clock, Millis } from "../../contract/base.ts";
import type { Usage } from "../../contract/message.ts";
import type { Booked, Cost, Ledger, Limit, Places, SpentRequest } from "../../contract/spending.ts";
import { after } from "../../lib/async/after.ts";
import { agentsIn } from "../../lib/audience.ts";
import { addUsage, NO_USAGE } from "../../lib/usage.ts";

export type Spending = Pick<SpentRequest, "at" | "usage"> & Places;

export interface LedgerOptions {
  readonly clock: Pick<Clock, "now">;
  /** What all sessions spent since a time; read once, and only when something has a limit. */
  readonly spent: (since: Millis) => Promise<readonly Spending[]>;
}

/** A month, and what the days of others begin earlier. */
const READ_MS: Millis = 33 * 86_400_000;

export function createLedger({ clock, spent }: LedgerOptions): Ledger {
  const bookings = new Map<string, Cost & { readonly places: Places }>();
  let last = 0;
  let known: Spending[] | undefined;
  let reading: Promise<void> | undefined;
  /** Spent while the journals are read: they may say it already. */
  let meanwhile: Spending[] = [];

  const read = async (): Promise<void> => {
    const found = await spent(clock.now() - READ_MS);
    const isFound = (one: Spending): boolean =>
      found.some((each) => each.at >= one.at && isSame(each.usage, one.usage));
    known = [...found, ...meanwhile.filter((one) => !isFound(one))];
  };

  const bookedFor = (limit?: Limit): Required<Cost> => {
    let [tokens, usd] = [0, 0];
    for (const one of bookings.values())
      if (limit === undefined || isCounted(limit, one.places))
        [tokens, usd] = [tokens + one.tokens, usd + (one.usd ?? 0)];
    return { tokens, usd };
  };

  const book = (limits: readonly Limit[], places: Places, cost: Cost): Booked => {
    const over: Booked["over"][number][] = [];
    for (const limit of limits) {
      let used = NO_USAGE;
      for (const item of known ?? [])
        if (item.at >= limit.since && isCounted(limit, item)) used = addUsage(used, item.usage);
      const sum = used.input + used.output;
      const booked = bookedFor(limit);
      const overTokens = limit.tokens !== undefined && sum + booked.tokens + cost.tokens > limit.tokens;
      const overMoney = limit.usd !== undefined && (used.costUsd ?? 0) + booked.usd >= limit.usd;
      if (!overTokens && !overMoney) continue;
      over.push({ limit, used: sum });
      if (limit.warns !== true) return { over };
    }
    const booking = String((last += 1));
    bookings.set(booking, { ...cost, places });
    return { booking, over };
  };

  return {
    get booked() {
      return bookedFor().tokens;
    },
    book: (limits, places, cost) => {
      if (limits.length === 0 || known !== undefined) return book(limits, places, cost);
      // Once for all who ask meanwhile: what one of them spends is not lost by what another reads later.
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return after(reading, () => book(limits, places, cost));
    },
    settle: (booking, usage) => {
      const { places } = bookings.get(booking) ?? {};
      bookings.delete(booking);
      if (places === undefined) return;
      if (known !== undefined) known.push({ at: clock.now(), ...places, usage });
      else if (reading !== undefined) meanwhile = [...meanwhile, { at: clock.now(), ...places, usage }];
    },
  };
}

function isSame(one: Usage, other: Usage): boolean {
  return one.input === other.input && one.output === other.output && one.costUsd === other.costUsd;
}

function isCounted(limit: Limit, { source, unattended, guest, person, agent }: Places): boolean {
  return (
    (limit.source === undefined || source === limit.source) &&
    (limit.unattended === undefined || unattended === true) &&
    (limit.guest === undefined || (limit.guest === true ? guest !== undefined : guest === limit.guest)) &&
    (limit.person === undefined || person === limit.person) &&
    (limit.agent === undefined || (agent !== undefined && agentsIn(agent).includes(limit.agent)))
  );
}
