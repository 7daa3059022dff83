import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { fromStream } from "../../src/providers/from-stream.ts";

test("R139 texts and calls are kept in the order in which they began", async () => {
  async function* stream(): AsyncGenerator<LanguageModelV4StreamPart> {
    yield { type: "text-start", id: "0" };
    yield { type: "text-delta", id: "0", delta: "Looking." };
    yield { type: "text-end", id: "0" };
    yield { type: "tool-call", toolCallId: "a", toolName: "read_file", input: "{}" };
    yield { type: "text-start", id: "1" };
    yield { type: "text-delta", id: "1", delta: "And more." };
    yield { type: "text-end", id: "1" };
    const usage = { inputTokens: {}, outputTokens: {} } as never; // nothing was counted
    yield { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage };
  }
  const estimate = () => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
  const kept: unknown[] = [];
  for await (const event of fromStream(stream(), { provider: "vendor", requestId: "turn-1-a", estimate }))
    if (event.type === "part") kept.push(event.part.type === "text" ? event.part.text : event.part.type);
  expect(kept).toEqual(["Looking.", "tool-call", "And more."]);
});
