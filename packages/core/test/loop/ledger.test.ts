// What is booked and what was spent: counted once, in its places, whoever asks at the same time.
import { expect, test } from "vitest";
import type { SessionId } from "../../src/contract/base.ts";
import type { Provider } from "../../src/contract/provider.ts";
import { createBudget } from "../../src/loop/spending/budget.ts";
import { createLedger, type Spending } from "../../src/loop/spending/ledger.ts";
import { emptyState } from "../../src/session/reduce.ts";
import { fakeClock, says } from "../../src/testing.ts";
import { ofType, startAgent } from "../support/agent.ts";
import { chatProvider } from "../support/wires.ts";

const USAGE = { input: 400, output: 100, cacheRead: 0, cacheWrite: 0 };
const TEST = { source: "test" };
const SESSIONS = 20;

test("PE7 a chat that a guest does not read any more while a request is under way: nothing stays booked, and it was the guest's", async () => {
  const clock = fakeClock();
  const ledger = createLedger({ clock, spent: () => Promise.resolve([]) });
  const guests = { since: 0, guest: true, tokens: 1000 } as const;
  const budget = createBudget({ budgets: () => [], ledger, clock, timeZone: () => "UTC", warn: () => {} });
  const mine = emptyState("s" as SessionId);
  expect(await budget.reserve({ ...mine, audience: "guest" }, 500)).toBeUndefined();
  expect(await budget.reserve(mine, 500)).toBeUndefined();
  expect(ledger.booked).toBe(1000);
  expect(await ledger.book([guests], { source: "", guest: "x" }, { tokens: 501 })).toMatchObject({
    over: [{ used: 0 }],
  });
  budget.settle(mine, 500, USAGE);
  expect(await ledger.book([guests], { source: "", guest: "x" }, { tokens: 501 })).toMatchObject({
    over: [{ used: 500 }],
  });
  budget.settle(mine, 500, USAGE);
  expect(ledger.booked).toBe(0);
});

test("SO15 what is spent while another still reads what was spent before is counted", async () => {
  const reads: PromiseWithResolvers<readonly Spending[]>[] = [];
  const spent = (): Promise<readonly Spending[]> => {
    const read = Promise.withResolvers<readonly Spending[]>();
    reads.push(read);
    return read.promise;
  };
  const ledger = createLedger({ clock: fakeClock(), spent });
  const limits = [{ since: 0, tokens: 1000 }];
  const [first, second] = [ledger.book(limits, TEST, { tokens: 500 }), ledger.book(limits, TEST, { tokens: 500 })];
  reads[0]?.resolve([]);
  const { booking = "" } = await first;
  ledger.settle(booking, USAGE);
  reads[1]?.resolve([]); // read before that was spent
  expect(await second).toMatchObject({ booking: expect.any(String) as string });
  expect(await ledger.book(limits, TEST, { tokens: 501 })).toEqual({ over: [{ limit: limits[0], used: 500 }] });
});

test("SO15 what was begun without a limit and ends while the journals are read counts once, whether they say it already or not", async () => {
  for (const isRead of [true, false]) {
    const clock = fakeClock();
    const read = Promise.withResolvers<readonly Spending[]>();
    const ledger = createLedger({ clock, spent: () => read.promise });
    const { booking = "" } = await ledger.book([], TEST, { tokens: 500 });
    const limits = [{ since: 0, tokens: 1000 }];
    const asked = ledger.book(limits, TEST, { tokens: 100 });
    ledger.settle(booking, USAGE);
    read.resolve(isRead ? [{ at: clock.now(), ...TEST, usage: USAGE }] : []);
    expect(await asked).toMatchObject({ over: [] });
    expect(await ledger.book(limits, TEST, { tokens: 401 })).toMatchObject({ over: [{ used: 500 }] });
  }
});

for (const [what, budget] of [
  ["tokens", { scope: "day", tokens: 20_000 }],
  ["money", { scope: "day", usd: 20 }],
] as const)
  test(`SO15 R423 20 conversations at once do not exceed a budget of ${what} by more than one request, and removing them leaves it used up`, async (t) => {
    const settings = { budgets: [budget], maxTokens: 1000, concurrency: SESSIONS };
    const { model, clock, restart } = await startAgent(t);
    const provider = priced(chatProvider(model, clock));
    const options = { settings, provider, priceFor: () => ({ input: 1000, output: 1000 }) };
    const started = await restart(options);
    const { agent } = started;
    const spent = { input: 300, output: 900 };
    model.route(() => true, ...Array.from({ length: 2 * SESSIONS }, () => says("ok", { usage: spent })));
    const keys = Array.from({ length: SESSIONS }, (_, number) => `test:${number}`);
    await Promise.all(keys.map((key) => agent.send(key, "hi").finished));
    expect(model.requests.length).toBeGreaterThan(0);
    for (let number = 0; number < SESSIONS; number++) await agent.send(`test:more-${number}`, "hi").finished;
    const used = model.requests.length;
    // With what is booked for the last of them it would have gone over: one more is the most that can be missing, or too much.
    expect(used * 1200).toBeGreaterThan(20_000 - 2 * 1200);
    expect(used * 1200).toBeLessThan(20_000 + 1200);
    const ends = (await Promise.all(keys.map((key) => started.records(key)))).flatMap((all) =>
      ofType(all, "turn.ended"),
    );
    expect(ends).toHaveLength(SESSIONS);
    await agent.idle();
    for (const { key } of await agent.sessions.list()) await agent.sessions.remove(key);
    const after = await started.restart(options);
    expect(await after.agent.send("test:new", "hi").finished).toMatchObject({ reason: "budget" });
    expect(after.model.requests.length).toBe(used);
  });

/** A thousandth of a dollar for each token. */
function priced(provider: Provider): Provider {
  return {
    ...provider,
    async *stream(request, signal) {
      for await (const event of provider.stream(request, signal))
        yield event.type === "done"
          ? { ...event, usage: { ...event.usage, costUsd: (event.usage.input + event.usage.output) / 1000 } }
          : event;
    },
  };
}
