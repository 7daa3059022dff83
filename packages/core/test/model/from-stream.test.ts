import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import type { ModelEvent } from "../../src/contract/provider.ts";
import { fromStream } from "../../src/bridge/from-stream.ts";

async function eventsOf(parts: readonly LanguageModelV4StreamPart[]): Promise<readonly ModelEvent[]> {
  async function* stream(): AsyncGenerator<LanguageModelV4StreamPart> {
    yield* parts;
    const usage = { inputTokens: {}, outputTokens: {} } as never; // nothing was counted
    yield { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage };
  }
  const estimate = () => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
  const events: ModelEvent[] = [];
  for await (const event of fromStream(stream(), { provider: "vendor", requestId: "turn-1-a", estimate }))
    events.push(event);
  return events;
}

/** The parts that are kept, texts and reasoning by their words. */
function keptIn(events: readonly ModelEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type !== "part" ? [] : [event.part.type === "tool-call" ? event.part.name : event.part.text],
  );
}

test("R139 texts and calls are kept in the order in which they began", async () => {
  const events = await eventsOf([
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "Looking." },
    { type: "text-end", id: "0" },
    { type: "tool-call", toolCallId: "a", toolName: "read_file", input: "{}" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "And more." },
    { type: "text-end", id: "1" },
  ]);
  expect(keptIn(events)).toEqual(["Looking.", "read_file", "And more."]);
});

test("R139 reasoning in the midst of a text stays between what was said before and after it", async () => {
  const events = await eventsOf([
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "First. " },
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "and then?" },
    { type: "reasoning-end", id: "r" },
    { type: "text-delta", id: "0", delta: "Second." },
    { type: "text-end", id: "0" },
  ]);
  expect(keptIn(events)).toEqual(["First. ", "and then?", "Second."]);
});

test("the arguments of a call without a name are not shown as those of the call whose id it repeats", async () => {
  const events = await eventsOf([
    { type: "tool-input-start", id: "a", toolName: "read_file" },
    { type: "tool-input-delta", id: "a", delta: "{}" },
    { type: "tool-call", toolCallId: "a", toolName: "read_file", input: "{}" },
    { type: "tool-input-start", id: "a", toolName: " " },
    { type: "tool-input-delta", id: "a", delta: '{"not":"its"}' },
    { type: "tool-call", toolCallId: "a", toolName: " ", input: '{"not":"its"}' },
  ]);
  expect(keptIn(events)).toEqual(["read_file"]);
  expect(events.flatMap((event) => (event.type === "tool-call.delta" ? [event.text] : []))).toEqual(["{}"]);
});
