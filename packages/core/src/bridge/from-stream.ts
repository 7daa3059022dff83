// The AI SDK's stream parts → our events. Parts are facts only when the answer has ended, so they all come at the end.
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { CallId } from "../contract/base.ts";
import type { AssistantPart, Finish, Usage } from "../contract/message.ts";
import type { ModelEvent } from "../contract/provider.ts";
import { callPart, finishOf, mergeMetadata, partOf } from "../model/finished-parts.ts";
import type { Block, Call, FinishPart } from "../model/finished-parts.ts";
import { thinkFilter } from "../model/wire/think.ts";
import { reportedUsage } from "../model/usage.ts";
import { NAMELESS } from "../model/wire/wire.ts";

/** More calls than this in one answer is a model gone astray; the rest is left out and the model is told. */
export const MAX_CALLS = 64;
/** Argument text of one answer; beyond it the stream is cut. */
export const MAX_ARGUMENT_CHARS: number = 1024 * 1024;

/** Text and reasoning of one answer: a million tokens. Beyond it the stream is cut. */
export const MAX_TEXT_CHARS: number = 4 * 1024 * 1024;

export interface StreamContext {
  readonly provider: string;
  readonly requestId: string;
  readonly estimate: (parts: readonly AssistantPart[]) => Usage;
}

/**
 * Yields deltas as they come, then every part, then `done`.
 * @throws RuntimeError `provider.truncated` when the stream has no finish; whatever an error part carries.
 */
export async function* fromStream(
  stream: AsyncIterable<LanguageModelV4StreamPart>,
  context: StreamContext,
): AsyncGenerator<ModelEvent> {
  const reading = createReading(context);
  for await (const part of stream) {
    reading.take(part);
    if (reading.events.length > 0) {
      yield* reading.events;
      reading.events.length = 0;
    }
    if (reading.over) break;
  }
  yield* reading.finish();
}

interface Reading {
  readonly events: ModelEvent[];
  readonly over: boolean;
  take(part: LanguageModelV4StreamPart): void;
  finish(): readonly ModelEvent[];
}

function createReading(context: StreamContext): Reading {
  const events: ModelEvent[] = [];
  const blocks: Block[] = [];
  const calls: Call[] = [];
  const byId = new Map<string, Call | undefined>(); // Undefined: started, but left out.
  let nextIndex = 0;
  let callsSeen = 0;
  let argumentChars = 0;
  let textChars = 0;
  let nameless = false;
  let cut = false;
  let finish: FinishPart | undefined;
  let textBlock: Block | undefined;
  let tagBlock: Block | undefined; // Reasoning from inline tags.
  const native = new Map<string, Block>();

  const openBlock = (kind: Block["kind"], isNative: boolean): Block => {
    const block: Block = { index: nextIndex++, kind, chunks: [], native: isNative, metadata: undefined };
    blocks.push(block);
    return block;
  };
  const filter = thinkFilter({
    text: (text) => {
      noticeRestart(); // what the same delta says behind the tag is the answer
      tagBlock = undefined;
      textBlock ??= openBlock("text", true);
      textBlock.chunks.push(text);
      events.push({ type: "text.delta", index: textBlock.index, text });
    },
    thinking: (text) => {
      tagBlock ??= openBlock("thinking", false);
      tagBlock.chunks.push(text);
      events.push({ type: "thinking.delta", index: tagBlock.index, text });
    },
  });
  let restarted = false;
  /** A closing tag without an opening one: what was taken for text becomes reasoning in the record. */
  const noticeRestart = (): void => {
    if (restarted || !filter.restarted) return;
    restarted = true;
    for (const [at, block] of blocks.entries())
      if (block.kind === "text") blocks[at] = { ...block, kind: "thinking", native: false };
    textBlock = undefined;
  };
  const openCall = (wireId: string, name: string): Call | undefined => {
    byId.set(wireId, undefined);
    if (name === NAMELESS || name.trim() === "") {
      nameless = true;
      return undefined;
    }
    callsSeen++;
    if (callsSeen > MAX_CALLS) return undefined;
    // The counter is in order of appearance, whatever ids the provider repeats or leaves out.
    const callId = `${context.requestId}-${callsSeen}` as CallId; // Minted here, by the rule of ModelRequest.id.
    const call: Call = { wireId, index: nextIndex++, callId, name, chunks: [], text: undefined, metadata: undefined };
    calls.push(call);
    byId.set(wireId, call);
    return call;
  };
  const countArguments = (chars: number): void => {
    argumentChars += chars;
    if (argumentChars > MAX_ARGUMENT_CHARS) cut = true;
  };

  const countText = (chars: number): void => {
    textChars += chars;
    if (textChars > MAX_TEXT_CHARS) cut = true;
  };

  const take = (part: LanguageModelV4StreamPart): void => {
    switch (part.type) {
      case "text-delta":
        countText(part.delta.length);
        filter.push(part.delta);
        noticeRestart();
        return;
      case "text-start":
        if (textBlock !== undefined && textBlock.chunks.length > 0) textBlock = undefined;
        return;
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end": {
        let block = native.get(part.id);
        if (block === undefined || part.type === "reasoning-start") {
          block = openBlock("thinking", true);
          native.set(part.id, block);
          textBlock = undefined;
        }
        // The signature comes with the end, or alone in a delta without text.
        if (part.providerMetadata !== undefined) block.metadata = mergeMetadata(block.metadata, part.providerMetadata);
        if (part.type === "reasoning-delta" && part.delta !== "") {
          countText(part.delta.length);
          block.chunks.push(part.delta);
          events.push({ type: "thinking.delta", index: block.index, text: part.delta });
        }
        return;
      }
      case "tool-input-start":
        if (part.providerExecuted !== true) openCall(part.id, part.toolName);
        return;
      case "tool-input-delta": {
        countArguments(part.delta.length);
        const call = byId.get(part.id);
        if (call === undefined) return;
        call.chunks.push(part.delta);
        if (part.delta !== "")
          events.push({
            type: "tool-call.delta",
            index: call.index,
            callId: call.callId,
            name: call.name,
            text: part.delta,
          });
        return;
      }
      case "tool-call": {
        if (part.providerExecuted === true) return;
        const begun = calls.find((item) => item.wireId === part.toolCallId && item.text === undefined);
        // A call left out at its start is not counted again at its end.
        if (begun === undefined && byId.has(part.toolCallId) && byId.get(part.toolCallId) === undefined) return;
        const call = begun ?? openCall(part.toolCallId, part.toolName);
        if (begun === undefined) countArguments(part.input.length);
        if (call === undefined) return;
        call.text = part.input;
        call.metadata = mergeMetadata(call.metadata, part.providerMetadata);
        return;
      }
      case "finish":
        finish = part;
        return;
      case "error":
        throw part.error;
      case "text-end":
      case "tool-input-end":
      case "tool-result":
      case "tool-approval-request":
      case "custom":
      case "file":
      case "reasoning-file":
      case "source":
      case "stream-start":
      case "response-metadata":
      case "ping":
      case "raw":
        return; // Nothing we asked for, or nothing new.
    }
  };
  const finishEvents = (): readonly ModelEvent[] => {
    filter.end();
    noticeRestart();
    const ended: ModelEvent[] = [...events];
    events.length = 0;
    const how = cut ? "cut" : finishOf(finish, calls.length > 0, context.provider);
    const keepCalls = how === "stop" || how === "tool-calls";
    const unknown = finish?.finishReason.unified === "other";
    const dropped =
      (callsSeen > 0 || nameless) && (!keepCalls || unknown)
        ? "unfinished"
        : callsSeen > MAX_CALLS
          ? "too-many"
          : nameless
            ? "nameless"
            : undefined;
    const kept = keepCalls && !unknown ? calls : [];
    // Calls have to come back with the state they were made with, also when one beside them was left out.
    const complete = dropped === undefined || kept.length > 0;
    const parts: { readonly index: number; readonly part: AssistantPart }[] = [];
    for (const block of blocks) {
      const part = partOf(block, context.provider, complete);
      if (part !== undefined) parts.push({ index: block.index, part });
    }
    for (const call of kept) parts.push({ index: call.index, part: callPart(call, context.provider, complete) });
    parts.sort((a, b) => a.index - b.index);
    for (const { index, part } of parts) ended.push({ type: "part", index, part });
    const outcome: Finish = how === "stop" && kept.length > 0 ? "tool-calls" : how;
    const usage = reportedUsage(finish?.usage) ?? context.estimate(parts.map(({ part }) => part));
    ended.push({ type: "done", finish: outcome, usage, ...(dropped !== undefined && { dropped }) });
    return ended;
  };
  return {
    events,
    get over() {
      return cut || finish !== undefined;
    },
    take,
    finish: finishEvents,
  };
}
