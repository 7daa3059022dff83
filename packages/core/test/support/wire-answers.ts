// Good answers for the raw server, in the bytes the mock model sends, and its strict reading of what was asked.
import { contextOf, fullParts, streamed } from "../../src/testing/mock-llm/answer.ts";
import type { RecordedRequest } from "../../src/testing/mock-llm/request.ts";
import { readRequest } from "../../src/testing/mock-llm/request.ts";
import type { Answer } from "../../src/testing/mock-llm/script.ts";
import { anthropicWire } from "../../src/testing/mock-llm/wire-anthropic.ts";
import { chatWire } from "../../src/testing/mock-llm/wire-chat.ts";
import { geminiWire } from "../../src/testing/mock-llm/wire-gemini.ts";
import { responsesWire } from "../../src/testing/mock-llm/wire-responses.ts";
import type { Wire } from "../../src/testing/mock-llm/wire.ts";
import type { WireKind } from "../../src/model/quirks.ts";
import type { ScriptedResponse, SeenRequest } from "./stream-server.ts";

const WIRES: Readonly<Record<WireKind, Wire>> = {
  anthropic: anthropicWire,
  google: geminiWire,
  "openai-chat": chatWire,
  "openai-responses": responsesWire,
};
const NOBODY_READS = '{"model":"m","messages":[]}';

/** @param number Makes the ids of its calls its own. */
export function answerOn(api: WireKind, answer: Answer, number = 1): ScriptedResponse {
  const wire = WIRES[api];
  const parts = fullParts(answer, number);
  const blank = readRequest(wire, "/v1/models/m:streamGenerateContent", {}, NOBODY_READS, Promise.resolve(false));
  const steps = streamed(wire, answer, parts, contextOf(answer, parts, blank, number));
  return {
    status: 200,
    headers: { "content-type": "text/event-stream" },
    chunks: [{ text: steps.map((step) => ("bytes" in step ? step.bytes : "")).join("") }],
  };
}

export function readOn(api: WireKind, { path, body }: SeenRequest): RecordedRequest {
  return readRequest(WIRES[api], path, {}, body, Promise.resolve(false));
}
