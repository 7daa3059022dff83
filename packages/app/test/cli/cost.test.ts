import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay } from "./harness.ts";

test("R388 a request to a model whose price is known costs money in the journal, in usage and in budgets", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = margay();
  app.configure({
    model: "anthropic/claude-opus-5",
    providers: { anthropic: { baseUrl: model.url, apiKey: "sk-ant-test-0123456789abcdef" } },
    budgets: [{ scope: "session", usd: 0.000_001 }],
  });
  model.replies(says("one"), says("never"));
  expect((await app.run(["agent", "-m", "hello"])).out).toContain("one");
  const usage = JSON.parse((await app.run(["usage", "--json"])).out) as {
    readonly total: { readonly costUsd?: number };
  };
  expect(usage.total.costUsd).toBeGreaterThan(0);
  expect((await app.run(["agent", "-m", "again"])).out).not.toContain("never");
  expect(model.requests).toHaveLength(1);
});
