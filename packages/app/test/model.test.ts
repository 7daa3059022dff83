import { systemClock } from "@margay/core";
import { expect, test } from "vitest";
import type { JsonObject } from "@margay/core";
import type { Config } from "../src/config/config.ts";
import { resolve } from "../src/config/resolve.ts";
import { chooseModel, keysOf } from "../src/model.ts";

function configOf(file: JsonObject): Config {
  const resolved = resolve(file, {}, { env: {}, readFile: () => undefined });
  expect(resolved.faults).toEqual([]);
  return resolved.config;
}

test("R320 CF3 without provider and model practice mode answers; with a provider its default model does", () => {
  const choose = (file: JsonObject): object => {
    const { model, practice } = chooseModel({ config: configOf(file), env: {}, clock: systemClock() });
    return { model: `${model.provider}/${model.model}`, practice };
  };
  expect(choose({})).toEqual({ model: "practice/sentences", practice: true });
  expect(choose({ model: "openrouter/a/b" })).toEqual({ model: "openrouter/a/b", practice: false });
  expect(choose({ providers: { anthropic: { apiKey: "k" } } })).toEqual({
    model: expect.stringMatching(/^anthropic\/./),
    practice: false,
  });
});

test("R323 the configured context window wins over the table; a chain of fallbacks has its smallest one", () => {
  const window = (file: JsonObject): number =>
    chooseModel({ config: configOf(file), env: {}, clock: systemClock() }).contextWindow;
  const models = { "openai/gpt-5": { contextWindow: 5000 }, "openai/gpt-4.1": { contextWindow: 3000 } };
  expect(window({ model: "openai/gpt-5", models })).toBe(5000);
  expect(window({ model: "openai/gpt-5", models, fallbackModels: ["openai/gpt-4.1"] })).toBe(3000);
  expect(window({ model: "openai/some-new-model" })).toBeGreaterThan(1024);
});

test("R322 configured keys go before the variables of the provider's own tools", () => {
  const env = { OPENAI_API_KEY: "from-environment" };
  expect(keysOf("openai", configOf({}), env)).toEqual(["from-environment"]);
  expect(keysOf("openai", configOf({ providers: { openai: { apiKey: "a", apiKeys: ["b", "c"] } } }), env)).toEqual([
    "a",
    "b",
    "c",
  ]);
  expect(keysOf("openai", configOf({}), {})).toEqual([]);
});
