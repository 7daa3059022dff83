import { expect, test } from "vitest";
import type { ChatMessage, ChatTool } from "../../src/seeds/provider-from-chat.ts";
import { providerFromChat } from "../../src/seeds/provider-from-chat.ts";
import { assistant, hear, modelRequest, toolMessage, user } from "../support/wire-provider.ts";

test("R2 R305 a chat function gets messages, tools and model in the shape small agents use", async () => {
  const seen: { messages: readonly ChatMessage[]; tools: readonly ChatTool[]; model: string }[] = [];
  const provider = providerFromChat((messages, tools, model) => {
    seen.push({ messages, tools, model });
    return {
      content: "Done.",
      calls: [{ name: "read_file", arguments: { path: "a" } }],
      usage: { input: 4, output: 2 },
    };
  });
  const call = { type: "tool-call", callId: "turn-1-1" as never, name: "read_file", input: { path: "a" } } as const; // Written by hand.
  const messages = [
    user("Hi"),
    assistant([{ type: "text", text: "Looking." }, call]),
    toolMessage("turn-1-1", "text of a"),
    { role: "notice", at: 0, kind: "clock", text: "It is late." } as const,
  ];
  const heard = await hear(provider, modelRequest({ messages }));
  expect(seen).toEqual([
    {
      model: "test-model",
      tools: [expect.objectContaining({ type: "function" })],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
        {
          role: "assistant",
          content: "Looking.",
          tool_calls: [
            { id: "turn-1-1", type: "function", function: { name: "read_file", arguments: '{"path":"a"}' } },
          ],
        },
        { role: "tool", tool_call_id: "turn-1-1", name: "read_file", content: "text of a" },
        { role: "user", content: "It is late." },
      ],
    },
  ]);
  expect(heard.done).toMatchObject({ finish: "tool-calls", usage: { input: 4, output: 2 } });
  expect(heard.parts).toEqual([
    { type: "text", text: "Done." },
    { ...call, callId: "turn-1-a-1" },
  ]);
});

test("R305 a chat function that throws is a failure with a code", async () => {
  const error = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  expect((await hear(providerFromChat(() => Promise.reject(error)))).error).toMatchObject({
    code: "provider.connection",
    retryable: true,
  });
});

test("without a clock a Retry-After date asks for no wait", async () => {
  const provider = providerFromChat(() => {
    const at = new Date(Date.now() + 5000).toUTCString();
    throw Object.assign(new Error("slow down"), { statusCode: 429, responseHeaders: { "retry-after": at } });
  });
  const { error } = await hear(provider, modelRequest({ messages: [user("Hi")] }));
  expect(error).toMatchObject({ code: "provider.rate-limited", retryable: true, details: { retryAfterMs: 1000 } });
});
