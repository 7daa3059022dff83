// The AI SDK's stream parts → our events. Parts are facts only when the answer has ended, so they all come at the end.
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { ModelEvent } from "../contract/provider.ts";
import {
  createAnswer,
  type Answer,
  type AnswerContext,
  type CallSink,
  type ThinkingSink,
} from "../model/wire/answer.ts";
import type { Ending } from "../model/wire/finished-parts.ts";
import type { State } from "../model/wire/pieces.ts";

/**
 * Yields deltas as they come, then every part, then `done`.
 * @throws RuntimeError `provider.truncated` when the stream has no finish; whatever an error part carries.
 */
export async function* fromStream(
  stream: AsyncIterable<LanguageModelV4StreamPart>,
  context: AnswerContext,
): AsyncGenerator<ModelEvent> {
  const answer = createAnswer(context);
  const reading: Reading = { answer, thinking: new Map(), calls: new Map(), finished: false };
  for await (const part of stream) {
    take(reading, part);
    yield* answer.events;
    answer.events.length = 0;
    if (answer.cut || reading.finished) break;
  }
  yield* answer.end();
}

interface Reading {
  readonly answer: Answer;
  readonly thinking: Map<string, ThinkingSink>;
  readonly calls: Map<string, { readonly sink: CallSink; ended: boolean }>;
  finished: boolean;
}

function take(reading: Reading, part: LanguageModelV4StreamPart): void {
  const { answer } = reading;
  switch (part.type) {
    case "text-delta":
      answer.text(part.delta);
      return;
    case "text-start":
      answer.breakText();
      return;
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end":
      takeThinking(reading, part);
      return;
    case "tool-input-start":
      if (part.providerExecuted !== true)
        reading.calls.set(part.id, { sink: answer.call(part.toolName), ended: false });
      return;
    case "tool-input-delta":
      reading.calls.get(part.id)?.sink.add(part.delta);
      return;
    case "tool-call":
      takeCall(reading, part);
      return;
    case "finish":
      answer.finish(endingOf(part.finishReason), part.usage);
      reading.finished = true;
      return;
    case "error":
      throw part.error;
    default:
    // Nothing we asked for, or nothing new.
  }
}

type ThinkingPart = Extract<
  LanguageModelV4StreamPart,
  { type: "reasoning-start" | "reasoning-delta" | "reasoning-end" }
>;

function takeThinking({ answer, thinking }: Reading, part: ThinkingPart): void {
  const known = part.type === "reasoning-start" ? undefined : thinking.get(part.id);
  const block = known ?? answer.thinking();
  thinking.set(part.id, block);
  // The signature comes with the end, or alone in a delta without text.
  const state = stateOf(part.providerMetadata);
  if (state !== undefined) block.state(state);
  if (part.type === "reasoning-delta") block.add(part.delta);
}

function takeCall({ answer, calls }: Reading, part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): void {
  if (part.providerExecuted === true) return;
  const known = calls.get(part.toolCallId);
  const begun = known?.ended === false;
  const call = begun ? known : { sink: answer.call(part.toolName), ended: false };
  call.ended = true;
  calls.set(part.toolCallId, call);
  call.sink.end(part.input, stateOf(part.providerMetadata));
}

function endingOf({ unified, raw }: { readonly unified: string; readonly raw?: string | undefined }): Ending {
  switch (unified) {
    case "stop":
    case "tool-calls":
    case "length":
      return unified;
    case "content-filter":
      return "refusal";
    case "other":
      // A word we do not know is an end; none at all is a broken stream.
      return raw === undefined ? undefined : "other";
    default:
      return undefined;
  }
}

/** Metadata is JSON by the interface; its `undefined` members are left out by the copy. */
function stateOf(metadata: SharedV4ProviderMetadata | undefined): State | undefined {
  return metadata === undefined ? undefined : (JSON.parse(JSON.stringify(metadata)) as State);
}
