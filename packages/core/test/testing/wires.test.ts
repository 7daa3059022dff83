import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { expect, test } from "vitest";

import type { MockModel } from "../../src/testing.ts";
import { callsTool, says, startMockModel } from "../../src/testing.ts";
import { lengthStop, refuses, thinks } from "../../src/internal-testing.ts";

const WIRES: Readonly<Record<string, (mock: MockModel) => LanguageModelV4>> = {
  chat: (mock) =>
    createOpenAICompatible({ name: "mock", baseURL: `${mock.url}/v1`, apiKey: "k", includeUsage: true })("m"),
  responses: (mock) => createOpenAI({ baseURL: `${mock.url}/v1`, apiKey: "k" }).responses("m"),
  anthropic: (mock) => createAnthropic({ baseURL: `${mock.url}/v1`, apiKey: "k" })("m"),
  gemini: (mock) => createGoogleGenerativeAI({ baseURL: `${mock.url}/v1beta`, apiKey: "k" })("m"),
};
const HELLO: LanguageModelV4Prompt = [
  { role: "system", content: "Be brief." },
  { role: "user", content: [{ type: "text", text: "hi" }] },
];
const TOOLS = [
  { type: "function", name: "wait", inputSchema: { type: "object", properties: { ms: { type: "number" } } } },
] as const;

for (const [wire, connect] of Object.entries(WIRES)) {
  test(`R2 a client library reads streamed text, reasoning, a call and usage on the ${wire} wire`, async () => {
    await using mock = await startMockModel();
    mock.replies(
      thinks("hm", callsTool("wait", { ms: 5 }, { text: "Wait.", usage: { input: 10, output: 4, cacheRead: 6 } }), {
        signature: "sig",
      }),
    );
    const seen = await readStream(connect(mock), HELLO);
    expect(seen).toEqual({
      text: "Wait.",
      thinking: "hm",
      calls: [["wait", { ms: 5 }]],
      finish: "tool-calls",
      usage: [10, 6, 4],
    });
    expect(mock.requests[0]).toMatchObject({ model: "m", stream: true, system: "Be brief.", toolNames: ["wait"] });
    expect(mock.requests[0]?.texts("user")).toEqual(["hi"]);
  });

  test(`R2 the same answer without streaming on the ${wire} wire`, async () => {
    await using mock = await startMockModel();
    mock.replies(callsTool("wait", { ms: 5 }, { text: "Wait." }));
    const result = await connect(mock).doGenerate({ prompt: HELLO, tools: [...TOOLS] });
    expect(result.content.filter((part) => part.type === "text").map((part) => part.text)).toEqual(["Wait."]);
    expect(result.content.filter((part) => part.type === "tool-call").map((part) => JSON.parse(part.input))).toEqual([
      { ms: 5 },
    ]);
    expect(result.finishReason.unified).toBe("tool-calls");
  });

  test(`finish reasons on the ${wire} wire`, async () => {
    await using mock = await startMockModel();
    mock.replies(lengthStop("half"), refuses("no"), says("a b", { chunks: 3 }));
    expect(await readStream(connect(mock), HELLO)).toMatchObject({ text: "half", finish: "length" });
    expect(await readStream(connect(mock), HELLO)).toMatchObject({ finish: "content-filter" });
    expect(await readStream(connect(mock), HELLO)).toMatchObject({ text: "a b", finish: "stop" });
  });
}

async function readStream(model: LanguageModelV4, prompt: LanguageModelV4Prompt): Promise<object> {
  const { stream } = await model.doStream({ prompt, tools: [...TOOLS], maxOutputTokens: 100 });
  let text = "";
  let thinking = "";
  const calls: unknown[] = [];
  let end: object = {};
  for await (const part of stream) {
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "reasoning-delta") thinking += part.delta;
    if (part.type === "tool-call") calls.push([part.toolName, JSON.parse(part.input)]);
    if (part.type === "error") throw part.error;
    if (part.type === "finish")
      end = {
        finish: part.finishReason.unified,
        usage: [part.usage.inputTokens.total, part.usage.inputTokens.cacheRead, part.usage.outputTokens.total],
      };
  }
  return { text, thinking, calls, ...end };
}
