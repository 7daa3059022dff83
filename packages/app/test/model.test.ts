import { systemClock } from "@margay/core/internal";
import { fails, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "@margay/core";
import type { Config } from "../src/config/config.ts";
import { resolve } from "../src/config/resolve.ts";
import { openApp } from "../src/embed.ts";
import { practiceChoice } from "../src/features/practice/provider.ts";
import { chooseModel, keysOf, type ChosenModel } from "../src/models/choose-model.ts";
import { margay } from "./cli/harness.ts";

function configOf(file: JsonObject): Config {
  const resolved = resolve(file, {}, { env: {}, readFile: () => undefined });
  expect(resolved.faults).toEqual([]);
  return resolved.config;
}

function chosenFor(file: JsonObject): ChosenModel {
  const config = configOf(file);
  return chooseModel({ config, env: {}, clock: systemClock() }) ?? practiceChoice({ language: config.language });
}

test("R320 CF3 without provider and model practice mode answers; with a provider its default model does", () => {
  const choose = (file: JsonObject): object => {
    const { model, practice } = chosenFor(file);
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
  const window = (file: JsonObject): number => chosenFor(file).contextWindow;
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

test("R74 R184 a refused key of a chat's own model rests over its turns, and is not asked again at each", async () => {
  const mock = await startMockModel();
  onTestFinished(() => mock.close());
  mock.route(
    ({ headers }) => headers["authorization"] === "Bearer key-refused",
    ...Array.from({ length: 9 }, () => fails(401)),
  );
  mock.route(() => true, says("one"), says("two"), says("three"));
  const at = { api: "openai-chat", baseUrl: `${mock.url}/v1` };
  const config = {
    model: "mock/mock-model",
    providers: { mock: { ...at, apiKey: "key-of-mock" }, other: { ...at, apiKeys: ["key-refused", "key-good"] } },
  };
  await using app = await openApp({ home: margay().home, config });
  await app.agent.bus.accept({
    key: "1",
    origin: { channel: "cli", chat: "direct" },
    from: { id: "ann", kind: "person" },
    parts: [{ type: "text", text: "/model other/mock-model" }],
  });
  for (const text of ["a", "b", "c"]) await app.agent.send("cli:direct", text).finished;
  expect(mock.requests.map(({ headers }) => headers["authorization"])).toEqual([
    "Bearer key-refused",
    "Bearer key-good",
    "Bearer key-good",
    "Bearer key-good",
  ]);
});
