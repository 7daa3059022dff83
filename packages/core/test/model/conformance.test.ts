import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { test } from "vitest";
import { languageModel, type ModelSource } from "../../src/bridge/language-model.ts";
import { RuntimeError } from "../../src/lib/errors/errors.ts";
import { providerFromChat } from "../../src/seeds/provider-from-chat.ts";
import type { ChatResponse } from "../../src/seeds/provider-from-chat.ts";
import type { WireKind } from "../../src/model/quirks.ts";
import type { Answer, Failure } from "../../src/testing/mock-llm/script.ts";
import { startMockModel } from "../../src/testing/mock-llm/mock-model.ts";
import { providerConformance } from "../../src/testing/provider-conformance.ts";
import { wireProvider } from "../support/wire-provider.ts";

const APIS: readonly WireKind[] = ["anthropic", "openai-chat", "openai-responses", "google"];

for (const api of APIS)
  providerConformance(
    (name, run) => {
      test(`R2 R34 R35 R305 ${api}, ${name}`, run);
    },
    async () => {
      // Several unrelated conversations run on one server here, so their requests do not continue each other.
      const mock = await startMockModel({ rules: "off" });
      return {
        provider: wireProvider({ api, url: mock.url }),
        model: api === "google" ? "gemini-2.5-flash" : "mock-model",
        replies: mock.replies,
        [Symbol.asyncDispose]: () => mock.close(),
      };
    },
  );

/** Foreign models, read by their own library and without our leniency. */
const FOREIGN: Readonly<Record<string, (url: string) => ModelSource>> = {
  "@ai-sdk/anthropic": (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "k" }),
  "@ai-sdk/openai": (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "k" }).responses,
  "@ai-sdk/openai-compatible": (url) =>
    createOpenAICompatible({ name: "foreign", baseURL: `${url}/v1`, apiKey: "k", includeUsage: true }),
};
for (const [library, models] of Object.entries(FOREIGN))
  providerConformance(
    (name, run) => {
      test(`R2 R305 languageModel with ${library}, ${name}`, run);
    },
    async () => {
      const mock = await startMockModel({ rules: "off" });
      return {
        provider: languageModel(models(mock.url), { id: "foreign" }),
        model: "mock-model",
        replies: mock.replies,
        [Symbol.asyncDispose]: () => mock.close(),
      };
    },
  );

providerConformance(
  (name, run) => {
    test(`R2 R305 providerFromChat, ${name}`, run);
  },
  () => {
    const queue: (Answer | Failure)[] = [];
    return Promise.resolve({
      provider: providerFromChat(() => respond(queue.shift())),
      model: "any",
      replies: (...answers) => void queue.push(...answers),
    });
  },
  { streams: false, statuses: false },
);

function respond(answer: Answer | Failure | undefined): ChatResponse {
  if (answer?.kind !== "answer") throw new RuntimeError("provider.overloaded", "no answer");
  const content = answer.parts
    .flatMap((part) => (part.type === "text" ? part.pieces.filter((piece) => typeof piece === "string") : []))
    .join("");
  const reasoning = answer.parts.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join("");
  const calls = answer.parts.flatMap((part) =>
    part.type === "call" ? [{ name: part.name, arguments: part.arguments }] : [],
  );
  const { usage } = answer;
  return {
    content,
    reasoning,
    calls,
    finish: answer.finish,
    ...(usage != null && { usage: { input: usage.input ?? 0, output: usage.output ?? 0 } }),
  };
}
