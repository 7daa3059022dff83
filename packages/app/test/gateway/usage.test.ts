// What was spent, and what bounds the spending, over HTTP.
import { callsTool, fails, fakeClock, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { modelInfo } from "@margay/core/internal";
import { expect, test } from "vitest";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

const MODEL = "mock/mock-model";

async function spend(gateway: TestGateway): Promise<void> {
  gateway.model.replies(
    callsTool("list_dir", { path: "." }, { usage: { input: 1000, output: 50, cacheRead: 0 } }),
    says("one", { usage: { input: 1100, output: 20, cacheRead: 1000 } }),
    says("two", { usage: { input: 400, output: 30, cacheRead: 0 } }),
  );
  await gateway.app.agent.send("web:one", "look").finished;
  await gateway.app.agent.send("cli:two", "hello").finished;
}

test("R283 every route of usage and budgets asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/usage", "/budgets"));
});

test("PE7 what was spent for a person today stands beside what may be, and another's does not count", async (t) => {
  const people = {
    eva: { name: "Eva", ids: ["webhook:eva"] },
    bob: { ids: ["webhook:bob"], tokensPerDay: 90_000 },
    dora: { ids: ["webhook:dora"], role: "operator" },
  };
  const gateway = await startGateway(t, { config: { people } });
  gateway.model.replies(says("hello", { usage: { input: 1000, output: 50, cacheRead: 0 } }));
  await gateway.app.agent.bus.accept({
    key: "1",
    origin: { channel: "webhook", chat: "eva" },
    from: { id: "eva", kind: "person" },
    parts: [{ type: "text", text: "hi" }],
    chat: "private",
  });
  const spent = async () => (await operations(gateway)("getBudgets")).body.people;
  await expect.poll(spent).toMatchObject([
    { person: "eva", name: "Eva", tokens: 500_000, spent: { tokens: 1050 } },
    { person: "bob", tokens: 90_000, spent: { tokens: 0 } },
  ]);
});

test("days and hours are those of the zone that was asked for", async (t) => {
  const gateway = await startGateway(t, { clock: fakeClock(Date.UTC(2026, 2, 1, 20, 30)) });
  await spend(gateway);
  const keys = async (group: string, tz: string): Promise<readonly string[]> =>
    (await operations(gateway)("getUsage", { query: { group, tz } })).body.rows.map(({ key }: { key: string }) => key);
  expect([await keys("day", "Asia/Shanghai"), await keys("day", "UTC")]).toEqual([["2026-03-02"], ["2026-03-01"]]);
  expect(await keys("hour", "Asia/Shanghai")).toEqual(["2026-03-02T04"]);
  expect(await keys("hour", "UTC")).toEqual(["2026-03-01T20"]);
});

test("rows sum to the total, whatever they are grouped by, and an unknown price is not zero", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await spend(gateway);
  const total = {
    requests: 3,
    input: 2500,
    output: 100,
    cacheRead: 1000,
    cacheWrite: 0,
    cacheHit: 0.4,
    costUsd: null,
    unpriced: 3,
  };
  for (const group of ["day", "hour", "model", "provider", "session", "source", "purpose"]) {
    const { body } = await operate("getUsage", { query: { group, tz: "Asia/Shanghai" } });
    expect(body).toMatchObject({ timeZone: "Asia/Shanghai", total });
    for (const column of ["requests", "input", "output", "cacheRead", "unpriced"] as const)
      expect(body.rows.reduce((sum: number, row: Record<string, number>) => sum + (row[column] ?? 0), 0)).toBe(
        total[column],
      );
  }
  const keys = async (group: string): Promise<readonly string[]> =>
    (await operate("getUsage", { query: { group } })).body.rows.map(({ key }: { key: string }) => key);
  expect(await keys("model")).toEqual([MODEL]);
  expect(await keys("session")).toEqual(["web:one", "cli:two"]);
  expect(await keys("source")).toEqual(["web", "cli"]);
  expect(await keys("purpose")).toEqual(["turn"]);
  const sessions = (await operate("getUsage", { query: { group: "session" } })).body.rows;
  expect(sessions[0].session).toBe((await gateway.app.agent.sessions.find("web:one"))?.state.id);
  expect((await operate("getUsage", { query: { from: Date.now() + 1000 } })).body).toMatchObject({
    rows: [],
    total: { requests: 0, costUsd: 0 },
  });
  expect((await operate("getUsage", { query: { tz: "Mars/Base" } })).body.code).toBe("request.invalid");
  expect((await operate("getUsage", { query: { group: "week" } })).body.code).toBe("request.invalid");
});

test("a spreadsheet gets the same rows as CSV", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await spend(gateway);
  const csv = await operate("getUsage", { query: { group: "model" }, headers: { accept: "text/csv" } });
  expect(csv.headers.get("content-type")).toContain("text/csv");
  expect(csv.body).toBe(
    `model,requests,input,output,cacheRead,cacheWrite,cacheHit,costUsd,unpriced\r\n${MODEL},3,2500,100,1000,0,0.4,,3\r\n`,
  );
});

test("a request that reads everything anew is a miss, with its cause", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  gateway.model.replies(
    says("one", { usage: { input: 4000, output: 10, cacheRead: 0 } }),
    says("two", { usage: { input: 4100, output: 10, cacheRead: 4000 } }),
    says("three", { usage: { input: 4200, output: 10, cacheRead: 0 } }),
  );
  for (const text of ["a", "b", "c"]) await gateway.app.agent.send("web:one", text).finished;
  const { items } = (await operate("getCacheMisses")).body;
  expect(items).toMatchObject([{ key: "web:one", lostTokens: 4100, costUsd: null, cause: "bug" }]);
  expect((await operate("getCacheMisses", { query: { to: 1 } })).body.items).toEqual([]);
});

test("what made one request read everything anew is no cause of the next", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  gateway.model.replies(
    says("one", { usage: { input: 4000, output: 10, cacheRead: 3000 } }),
    says("two", { usage: { input: 4100, output: 10, cacheRead: 0 } }),
    says("three", { usage: { input: 4200, output: 10, cacheRead: 0 } }),
  );
  const say = (text: string): Promise<unknown> => gateway.app.agent.send("web:one", text).finished;
  await say("a");
  await operate("putActiveModel", { body: { model: "mock/another-model" } });
  await say("b");
  await say("c");
  const { items } = (await operate("getCacheMisses")).body;
  expect(items.map(({ cause }: { cause: string }) => cause).toSorted()).toEqual(["bug", "model"]);
});

test("budgets are replaced under their ETag; raising one needs the owner, lowering does not", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await spend(gateway);
  const admin = gateway.token("admin");
  const put = (items: readonly object[], tag: string, token?: string): ReturnType<typeof operate> =>
    operate("putBudgets", { body: { items }, headers: { "if-match": tag }, ...(token !== undefined && { token }) });
  const none = await operate("getBudgets");
  expect(none.body.items).toEqual([]);
  expect((await operate("putBudgets", { body: { items: [] } })).body.code).toBe("precondition.required");
  const tagOf = ({ headers }: { headers: Headers }): string => headers.get("etag") ?? "";

  const day = { scope: "day", tokens: 10_000 };
  const first = await put([day, { scope: "turn", usd: 1 }], tagOf(none), admin);
  expect(first.body.items).toEqual([
    { ...day, spent: { tokens: 2600, costUsd: null }, reserved: 0, resetsAt: expect.any(Number) },
    { scope: "turn", usd: 1 },
  ]);
  expect(first.body.items[0].resetsAt).toBeGreaterThan(Date.now());
  expect(first.body.items[0].resetsAt).toBeLessThanOrEqual(Date.now() + 86_400_000);
  expect((await put([], tagOf(none), admin)).body.code).toBe("precondition.failed");
  expect((await put([{ ...day, tokens: 20_000 }], tagOf(first), admin)).body.code).toBe("auth.scope");
  expect((await put([], tagOf(first), admin)).body.code).toBe("auth.scope");
  const lower = await put(
    [
      { ...day, tokens: 100 },
      { scope: "turn", usd: 0.5 },
    ],
    tagOf(first),
    admin,
  );
  expect(lower.status).toBe(200);
  expect(gateway.app.inside.loaded().config.budgets).toMatchObject([{ tokens: 100 }, { usd: 0.5 }]);
  const source = { scope: "source", source: "web", tokens: 5000 };
  const raised = await put([source], tagOf(lower));
  expect(raised.body.items).toMatchObject([{ ...source, spent: { tokens: 2170 } }]);
  expect((await put([{ scope: "week" }], tagOf(raised))).body.code).toBe("request.invalid");
});

test("a budget that bounds less in any way needs the owner, the same or less to spend does not", async (t) => {
  const was = { scope: "source", source: "web", usd: 2, tokens: 500, action: "stop" };
  const gateway = await startGateway(t, { config: { budgets: [was] } });
  const operate = operations(gateway);
  const token = gateway.token("admin");
  const put = async (...items: readonly object[]): Promise<readonly [number, string | undefined]> => {
    const { headers } = await operate("getBudgets");
    const answer = await operate("putBudgets", {
      body: { items },
      headers: { "if-match": headers.get("etag") ?? "" },
      token,
    });
    return [answer.status, answer.body.code];
  };
  const { usd: _usd, ...noUsd } = was;
  const { tokens: _tokens, ...noTokens } = was;
  const { source: _source, ...noSource } = was;
  const loosened: Record<string, readonly object[]> = {
    "another source": [{ ...was, source: "cli" }],
    "another scope": [{ ...noSource, scope: "day" }],
    "the scope alone": [{ ...was, scope: "day" }],
    "a warning": [{ ...was, action: "warn" }],
    "more money": [{ ...was, usd: 2.5 }],
    "any money": [noUsd],
    "more tokens": [{ ...was, tokens: 501 }],
    "any tokens": [noTokens],
    "each bound in another": [noUsd, noTokens],
    nothing: [],
  };
  for (const [name, items] of Object.entries(loosened)) expect(await put(...items), name).toEqual([403, "auth.scope"]);
  const { action: _action, ...stops } = was; // what is left out stops
  expect(await put(stops)).toEqual([200, undefined]);
  expect(await put({ ...was, action: "warn" })).toEqual([403, "auth.scope"]);
  const warns = { scope: "day", usd: 1, action: "warn" };
  expect(await put({ ...was, usd: 1, tokens: 499 }, warns)).toEqual([200, undefined]);
  expect(await put({ ...was, usd: 1, tokens: 499 }, { ...warns, tokens: 9 })).toEqual([200, undefined]);
  expect(await put({ ...was, usd: 1, tokens: 499 }, { ...warns, tokens: 9, action: "stop" })).toEqual([200, undefined]);
});

test("DF16 PE82 what deleted conversations had spent is used of a budget, and a person's is none of what nobody attends", async (t) => {
  const gateway = await startGateway(t, {
    config: {
      budgets: [
        { scope: "day", tokens: 1_000_000 },
        { scope: "unattended", tokens: 1_000_000 },
      ],
    },
  });
  const operate = operations(gateway);
  await spend(gateway);
  const used = async (): Promise<readonly number[]> =>
    (await operate("getBudgets")).body.items.map(({ spent }: { spent: { tokens: number } }) => spent.tokens);
  expect(await used()).toEqual([2600, 0]);
  await gateway.app.agent.sessions.remove("web:one");
  expect(await used()).toEqual([2600, 0]);
  const from = { id: "cron", kind: "schedule" } as const;
  const origin = { channel: "cron", chat: "job" };
  gateway.model.replies(says("done", { usage: { input: 300, output: 20 } }));
  await gateway.app.agent.send("cron:job", "go", { from, origin }).finished;
  expect(await used()).toEqual([2920, 320]);
});

test("a budget of the day and one of the month begin anew where the next of them begins", async (t) => {
  const budgets = (["day", "month"] as const).map((scope) => ({ scope, tokens: 1000 }));
  const clock = fakeClock(Date.UTC(2026, 11, 15, 12));
  const gateway = await startGateway(t, { clock, config: { budgets, timeZone: "UTC" } });
  const { items } = (await operations(gateway)("getBudgets")).body;
  expect(items.map(({ resetsAt }: { resetsAt: number }) => resetsAt)).toEqual([
    Date.UTC(2026, 11, 16),
    Date.UTC(2027, 0, 1),
  ]);
});

test("PE7 the day of a person begins anew at their midnight", async (t) => {
  const clock = fakeClock(Date.UTC(2026, 11, 15, 12));
  const people = { eva: { ids: [], timeZone: "Asia/Tokyo" }, bob: { ids: [] } };
  const gateway = await startGateway(t, { clock, config: { people, timeZone: "UTC" } });
  const { people: shown } = (await operations(gateway)("getBudgets")).body;
  expect(shown.map(({ person, resetsAt }: { person: string; resetsAt: number }) => [person, resetsAt])).toEqual([
    ["eva", Date.UTC(2026, 11, 15, 15)],
    ["bob", Date.UTC(2026, 11, 16)],
  ]);
});

test("a budget that is used up stops the next turn before it asks the model", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await spend(gateway);
  const asked = gateway.model.requests.length;
  const { headers } = await operate("getBudgets");
  const body = { items: [{ scope: "day", tokens: 2000 }] };
  await operate("putBudgets", { body, headers: { "if-match": headers.get("etag") ?? "" } });
  gateway.model.replies(fails(500));
  const { reason } = await gateway.app.agent.send("web:one", "more").finished;
  expect([reason, gateway.model.requests.length]).toEqual(["budget", asked]);
});

/** A vendor whose prices are known; only its address is the mock's. */
const PRICED = {
  model: "openai/gpt-5",
  providers: (url: string) => ({ openai: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "test-key-for-mock" } }),
};

test("a miss says what it cost, where the price is known", async (t) => {
  const gateway = await startGateway(t, { config: (url) => ({ ...PRICED, providers: PRICED.providers(url) }) });
  const operate = operations(gateway);
  gateway.model.replies(
    says("one", { usage: { input: 4000, output: 10, cacheRead: 3000 } }),
    says("two", { usage: { input: 4100, output: 10, cacheRead: 0 } }),
  );
  for (const text of ["a", "b"]) await gateway.app.agent.send("web:one", text).finished;
  const { price } = modelInfo("openai", "gpt-5");
  const [miss] = (await operate("getCacheMisses")).body.items;
  expect(miss.lostTokens).toBe(4000);
  expect(miss.costUsd).toBeCloseTo((4000 * ((price?.input ?? 0) - (price?.cacheRead ?? 0))) / 1e6, 9);
  expect(miss.costUsd).toBeGreaterThan(0);
  await operate("forkSession", { params: { id: miss.session }, body: {} });
  expect((await operate("getCacheMisses")).body.items).toEqual([miss]); // a copy has asked nobody
});

test("a budget shows what is held back for a request under way", async (t) => {
  const gateway = await startGateway(t, { config: { budgets: [{ scope: "day", tokens: 1_000_000 }] } });
  const operate = operations(gateway);
  const held = stalls({ rest: says("done") });
  gateway.model.replies(held);
  const turn = gateway.app.agent.send("web:one", "hello").finished;
  await gateway.model.received(1);
  const reserved = async (): Promise<number> => (await operate("getBudgets")).body.items[0].reserved;
  expect(await reserved()).toBeGreaterThan(8192); // the prompt, and all that may be answered
  held.release();
  await turn;
  expect(await reserved()).toBe(0);
});

test("the budget of a token holds for what it sends, and is listed with what it spent", async (t) => {
  const gateway = await startGateway(t, { config: (url) => ({ ...PRICED, providers: PRICED.providers(url) }) });
  const operate = operations(gateway);
  const made = await operate("createToken", { body: { name: "kitchen", scopes: ["chat"], budgetUsdPerDay: 0.01 } });
  const { id, token } = made.body;
  const say = (text: string): ReturnType<typeof operate> =>
    operate("createSession", { token, body: { message: { parts: [{ type: "text", text }] } } });
  gateway.model.replies(says("dear", { usage: { input: 100_000, output: 2000 } }));
  expect((await say("hello")).status).toBe(201);
  await gateway.app.agent.idle();
  const refused = await say("again");
  expect([refused.status, refused.body.code]).toEqual([402, "budget.exhausted"]);
  expect(refused.body.detail).toContain("0.01");
  expect(gateway.model.requests).toHaveLength(1);
  const { tokens } = (await operate("getBudgets")).body;
  expect(tokens).toEqual([
    {
      scope: `token:${id}`,
      name: "kitchen",
      usd: 0.01,
      spent: { tokens: 102_000, costUsd: expect.any(Number) },
      resetsAt: expect.any(Number),
    },
  ]);
  expect(tokens[0].spent.costUsd).toBeGreaterThan(0.01);
});

test("W§13.8 a bound in money does not stop a model that costs nothing, unless one that is paid could answer in its place", async (t) => {
  const outcomes = async (fallbackModels: readonly string[]): Promise<readonly string[]> => {
    const gateway = await startGateway(t, {
      config: {
        budgets: [{ scope: "session", usd: 0.000_001 }],
        models: {
          "mock/mock-model": { price: { input: 10, output: 10 } },
          "mock/gratis": { price: { input: 0, output: 0 } },
        },
        fallbackModels,
      },
    });
    const { agent } = gateway.app;
    const ends: string[] = [];
    for (const model of ["mock-model", "mock-model", "gratis", "gratis"]) {
      await agent.send("web:one", `/model mock/${model}`).finished;
      gateway.model.replies(says("yes"));
      ends.push((await agent.send("web:one", "hello").finished).reason);
    }
    return ends;
  };
  expect(await outcomes([])).toEqual(["done", "budget", "done", "done"]);
  expect(await outcomes(["mock/gratis"])).toEqual(["done", "budget", "done", "done"]);
  expect(await outcomes(["mock/mock-model"])).toEqual(["done", "budget", "budget", "budget"]);
});
