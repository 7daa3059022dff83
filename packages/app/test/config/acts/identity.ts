// Keys of who answers: models, providers, the person and the persona.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fails, says } from "@margay/core/testing";
import { lastRequest, type Probes, type World } from "./probe.ts";

async function request(world: World): Promise<ReturnType<typeof lastRequest>> {
  await world.turn("hi");
  return lastRequest(world);
}
const prompt = async (world: World): Promise<string> => (await request(world)).texts("system").join("\n");

export const IDENTITY: Probes = {
  profile: {
    values: ["default", "countbot"],
    see: async (world) => (await request(world)).body["temperature"],
    saw: [undefined, 0.7],
  },
  language: {
    values: ["en", "zh-CN"],
    config: { agent: { maxIterations: 1 } },
    see: async ({ turn, model }) => {
      model.replies(callsTool("list_dir", { path: "." }));
      return /[一-鿿]/.test((await turn("go")).text);
    },
    saw: [false, true],
  },
  timeZone: {
    values: ["UTC", "Asia/Tokyo"],
    stopped: true,
    see: async (world) => /(12|21):00/.exec((await request(world)).raw)?.[1],
    saw: ["12", "21"],
  },
  workspace: {
    values: ["~/one", "~/two"],
    see: async ({ turn, model, home }) => {
      model.replies(callsTool("write_file", { path: "made.txt", content: "x" }), says("done"));
      await turn("make it");
      return ["one", "two"].filter((name) => existsSync(join(home, "..", name, "made.txt")));
    },
    saw: [["one"], ["two"]],
  },
  model: {
    values: ["mock/first", "mock/second"],
    see: async (world) => (await request(world)).body["model"],
    saw: ["first", "second"],
  },
  fallbackModels: {
    values: [[], ["mock/spare"]],
    see: async (world) => {
      world.model.route(({ body }) => body["model"] === "mock-model", fails(401));
      return (await world.turn("hi")).reason;
    },
    saw: ["failed", "done"],
  },
  "providers.*.apiKey": {
    at: "providers.mock.apiKey",
    values: ["key-number-one", "key-number-two"],
    see: async (world) => (await request(world)).headers["authorization"],
    saw: ["Bearer key-number-one", "Bearer key-number-two"],
  },
  "providers.*.apiKeys": {
    at: "providers.mock.apiKeys",
    values: [[], ["key-number-two"]],
    config: { agent: { retryDelaySeconds: 0 } },
    see: async (world) => {
      world.model.route(({ headers }) => headers["authorization"] !== "Bearer key-number-two", fails(401), fails(401));
      return (await world.turn("hi")).reason;
    },
    saw: ["failed", "done"],
  },
  "providers.*.baseUrl": {
    at: "providers.mock.baseUrl",
    values: [({ modelUrl }) => `${modelUrl}/v1`, ({ webUrl }) => `${webUrl}/v1`],
    config: { agent: { requestAttempts: 1 } },
    see: async ({ turn, model, web }) => {
      await turn("hi");
      return [model.requests.length, web.hits.length];
    },
    saw: [
      [1, 0],
      [0, 1],
    ],
  },
  "providers.*.api": {
    at: "providers.mock.api",
    values: ["openai-chat", "anthropic"],
    see: async (world) => (await request(world)).api,
    saw: ["chat", "anthropic"],
  },
  "providers.*.headers": {
    at: "providers.mock.headers",
    values: [{}, { "x-team": "otters" }],
    see: async (world) => (await request(world)).headers["x-team"],
    saw: [undefined, "otters"],
  },
  "providers.*.options": {
    at: "providers.azure.options",
    values: [({ webUrl }) => ({ endpoint: `${webUrl}/one` }), ({ webUrl }) => ({ endpoint: `${webUrl}/two` })],
    config: {
      model: "azure/deployment",
      agent: { requestAttempts: 1 },
      providers: { azure: { apiKey: "key-of-azure" } },
    },
    see: async ({ turn, web }) => {
      await turn("hi");
      return web.hits[0]?.url?.slice(0, 4);
    },
    saw: ["/one", "/two"],
  },
  "models.*.contextWindow": {
    at: "models.mock/mock-model.contextWindow",
    values: [16_000, 400_000],
    config: { agent: { maxTokens: 1000 } },
    see: async (world) => {
      await world.turn("word ".repeat(9000), "cli:long");
      await world.turn("word ".repeat(9000), "cli:long");
      return (await world.records("cli:long")).some(({ type }) => type === "history.compacted");
    },
    saw: [true, false],
  },
  "models.*.price": {
    at: "models.mock/mock-model.price",
    values: [
      { input: 1, output: 2 },
      { input: 100, output: 200 },
    ],
    see: async (world) => {
      world.model.replies(says("hi", { usage: { input: 1_000_000, output: 100_000, cacheRead: 0 } }));
      await world.turn("hi", "cli:priced");
      const answer = (await world.records("cli:priced")).find(({ type }) => type === "model.responded");
      return answer?.type === "model.responded" ? answer.message.usage.costUsd : undefined;
    },
    saw: [1.2, 120],
  },
  "persona.name": {
    values: ["Ada", "Grace"],
    see: async (world) => /Ada|Grace/.exec(await prompt(world))?.[0],
    saw: ["Ada", "Grace"],
  },
  "persona.userName": {
    values: [null, "Kim"],
    see: async (world) => (await prompt(world)).includes("Kim"),
    saw: [false, true],
  },
  "persona.userAddress": {
    values: [null, "Captain"],
    see: async (world) => (await prompt(world)).includes("Captain"),
    saw: [false, true],
  },
  "persona.preset": {
    values: ["grumpy", "zen"],
    see: async (world) => /grumpy|zen/i.exec(await prompt(world))?.[0].toLowerCase(),
    saw: ["grumpy", "zen"],
  },
  "persona.custom": {
    values: [null, "You answer in rhymes."],
    config: { persona: { preset: "zen" } },
    see: async (world) => (await prompt(world)).includes("You answer in rhymes."),
    saw: [false, true],
  },
};
