import { expect, test } from "vitest";
import { DEFAULT_MODEL, costOf, modelInfo } from "../../src/model/models.ts";

test("R323 a model is found by its name, with a vendor in front and a date behind", () => {
  const sonnet = modelInfo("anthropic", "claude-sonnet-4-5-20250929");
  expect(sonnet).toMatchObject({
    contextWindow: 200_000,
    images: true,
    thinking: true,
    price: { input: 3, output: 15 },
  });
  const routed = modelInfo("openrouter", "anthropic/claude-sonnet-4.5");
  expect(routed.contextWindow).toBe(200_000);
  expect(routed.price).toBeUndefined();
});

test("R323 Claude's names with a dot, as gateways write them, are the models with a dash", () => {
  for (const name of ["opus-5", "sonnet-5", "haiku-5", "opus-4", "sonnet-4", "haiku-4"])
    for (const minor of [5, 6, 7, 8]) {
      const [dashed, dotted] = [`claude-${name}-${minor}`, `claude-${name}.${minor}`];
      expect(modelInfo("openrouter", `anthropic/${dotted}`), dotted).toEqual(modelInfo("openrouter", dashed));
    }
  expect(modelInfo("openrouter", "anthropic/claude-opus-4.6").contextWindow).toBe(1_000_000);
});

test("R323 an unknown model gets a sane guess, a smaller one on this machine", () => {
  expect(modelInfo("anywhere", "model-of-tomorrow")).toEqual(DEFAULT_MODEL);
  expect(modelInfo("ollama", "model-of-tomorrow", { local: true }).contextWindow).toBe(32_768);
  expect(modelInfo("ollama", "qwen3:8b", { local: true }).contextWindow).toBe(32_768);
});

test("PR25 cached tokens have their own price, and an unknown price gives no cost", () => {
  const usage = { input: 1_000_000, output: 100_000, cacheRead: 800_000, cacheWrite: 100_000 };
  expect(costOf(usage, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })).toBeCloseTo(
    0.3 + 0.24 + 0.375 + 1.5,
  );
  expect(costOf(usage, { input: 1, output: 2 })).toBeCloseTo(1.2);
  expect(costOf(usage, undefined)).toBeUndefined();
});
