// Usage and budgets: what the page says is what the model was paid for, and a budget ends a turn before the next request.
import type { JsonObject } from "@margay/core";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

/** One vendor whose prices are known and one whose are not, both played by the mock. */
const priced = (url: string): JsonObject => ({
  model: "openai/gpt-5",
  providers: {
    openai: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "test-key-for-mock" },
    mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "test-key-for-mock" },
  },
});

/** Dollars per million tokens of gpt-5: input, from the cache, output. */
const PRICE = { input: 1.25, cached: 0.125, output: 10 };
const TURNS = 20;

test("row 59: the sums of twenty turns are those of the model, a model without price says so, and a budget of $0.01 ends a turn before its request", async (t) => {
  const place = await openBrowser(t, { config: priced });
  const { page, gateway } = place;
  const ledger = { requests: 0, input: 0, output: 0, cached: 0, usd: 0 };
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const usage = { input: 1000 + 37 * turn, output: 20 + turn, cacheRead: 50 * turn };
    ledger.requests += 1;
    ledger.input += usage.input;
    ledger.output += usage.output;
    ledger.cached += usage.cacheRead;
    ledger.usd +=
      ((usage.input - usage.cacheRead) * PRICE.input + usage.cacheRead * PRICE.cached + usage.output * PRICE.output) /
      1e6;
    gateway.model.replies(says(`answer ${turn}`, { usage }));
    if (turn < TURNS) await gateway.app.agent.send(`web:chat-${turn % 3}`, `question ${turn}`).finished;
    else await say(page, `question ${turn}`);
  }
  await until(() => answers(page)).toEqual([`answer ${TURNS}`]);
  const { total } = (await gateway.api("/usage?group=day")).body;
  expect(total).toMatchObject({
    requests: ledger.requests,
    input: ledger.input,
    output: ledger.output,
    cacheRead: ledger.cached,
    unpriced: 0,
  });
  expect(total.costUsd).toBeCloseTo(ledger.usd, 9);
  await page.goto(`${gateway.url}/?p=usage`);
  const sums = page.locator("[data-sums]");
  await sums.getByText(String(ledger.requests), { exact: true }).waitFor();
  await sums.getByText(`${Math.round((100 * ledger.cached) / ledger.input)}%`).waitFor();
  const shownUsd = await sums.locator(".p-stat").first().innerText();
  expect(Number(/\$([\d.]+)/.exec(shownUsd)?.[1])).toBeCloseTo(ledger.usd, 2);

  await page.getByRole("tab", { name: "Budgets" }).click();
  await page.getByRole("button", { name: "Add a budget" }).click();
  await page.getByLabel("Dollars", { exact: true }).fill("0.01");
  await page.getByRole("button", { name: "Save" }).click();
  await until(async () => (await gateway.api("/budgets")).body.items.map(({ usd }: { usd: number }) => usd)).toEqual([
    0.01,
  ]);
  expect(ledger.usd).toBeGreaterThan(0.01);
  const asked = gateway.model.requests.length;
  await say(page, "one more");
  await page
    .locator(".note-box")
    .getByText(/budget/i)
    .first()
    .waitFor();
  expect(gateway.model.requests).toHaveLength(asked);
  expect(await page.locator(".item.user").last().innerText()).toContain("one more");

  const { headers } = await gateway.api("/budgets");
  await gateway.api("/budgets", {
    method: "PUT",
    body: { items: [] },
    headers: { "if-match": headers.get("etag") ?? "" },
  });
  gateway.model.replies(says("free?", { usage: { input: 500, output: 5 } }));
  const made = await gateway.api("/sessions", {
    method: "POST",
    body: { model: "mock/mock-model", message: { parts: [{ type: "text", text: "what do you cost" }] } },
  });
  expect(made.status).toBe(201);
  await gateway.app.agent.idle();
  await page.goto(`${gateway.url}/?p=usage`);
  await page.getByText("1 request without price").waitFor();
  expect((await gateway.api("/usage?group=model")).body.rows).toMatchObject([
    { key: "openai/gpt-5", unpriced: 0 },
    { key: "mock/mock-model", unpriced: 1, costUsd: null },
  ]);
  await place.isClean();
});

test("W§13.10 usage opens with a bar for each day; a model without a price is given one, and its next request costs", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const usage = { input: 1_000_000, output: 100_000, cacheRead: 0 };
  gateway.model.replies(says("one", { usage }));
  await say(page, "first");
  await until(() => answers(page)).toEqual(["one"]);
  await page.goto(`${gateway.url}/?p=usage`);
  const chart = page.getByRole("slider", { name: "Tokens by day" }); // nobody knows what it cost
  await chart.waitFor();
  expect(await chart.getAttribute("aria-valuemax")).toBe("29"); // each of thirty days, also those without any
  await page.locator("[data-sums]").getByText("1 request without price").waitFor();
  await page.getByRole("button", { name: "Set a price" }).click();
  const dialog = page.getByRole("dialog", { name: "Price of mock/mock-model" });
  await dialog.getByLabel("Input", { exact: true }).fill("a lot");
  await dialog.getByText("A number such as 0.25.").waitFor();
  expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Input", { exact: true }).fill("1.5");
  await dialog.getByLabel("Output", { exact: true }).fill("10");
  await place.isClean();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await gateway.api("/settings")).body.values.models).toEqual({
    "mock/mock-model": { price: { input: 1.5, output: 10 } },
  });
  gateway.model.replies(says("two", { usage }));
  await say(page, "second");
  await until(() => answers(page)).toEqual(["two"]); // a new chat
  await page.getByRole("slider", { name: "Cost by day" }).waitFor();
  await page.locator("[data-sums]").getByText("$2.50").first().waitFor();
  const { body } = await gateway.api("/usage?group=day&by=source");
  expect(body.rows[0].parts).toMatchObject([{ key: "web", costUsd: 2.5, unpriced: 1 }]);
  await place.isClean();
});
