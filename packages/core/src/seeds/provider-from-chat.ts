// A `chat(messages, tools, model)` function, as small agents have it, as a Provider.
import type { CallId, Json, JsonObject } from "../contract/base.ts";
import type { AssistantPart, Message, Usage } from "../contract/message.ts";
import type { ModelEvent, ModelRequest, Provider } from "../contract/provider.ts";
import { argumentText, readArguments } from "../model/wire/arguments.ts";
import { MAX_CALLS } from "../model/wire/answer.ts";
import { toFailure } from "../model/failures.ts";
import { estimatedUsage } from "../model/usage.ts";

export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly tool_calls?: readonly ChatToolCall[] }
  | { readonly role: "tool"; readonly content: string; readonly tool_call_id: string; readonly name: string };
export interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}
export interface ChatTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonObject };
}
export interface ChatResponse {
  readonly content?: string | null;
  readonly reasoning?: string | null;
  /** `arguments`: the object, or its JSON text. */
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly arguments: JsonObject | string }[];
  readonly finish?: "stop" | "tool-calls" | "length" | "refusal";
  readonly usage?: { readonly input: number; readonly output: number };
}
export interface ChatOptions {
  readonly temperature?: number;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}
export type ChatFunction = (
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[],
  model: string,
  options: ChatOptions,
) => Promise<ChatResponse> | ChatResponse;

/**
 * Wraps a function that answers as a whole. Its text arrives as one delta.
 * @throws RuntimeError `provider.*` for whatever the function throws.
 */
export function providerFromChat(chat: ChatFunction, options: { readonly id?: string } = {}): Provider {
  const id = options.id ?? "chat";
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    let response: ChatResponse;
    try {
      const { maxOutputTokens: maxTokens, temperature, toolChoice } = request.sampling;
      const tools =
        toolChoice === "none"
          ? []
          : request.prefix.tools.map((tool): ChatTool => ({
              type: "function",
              function: { name: tool.name, description: tool.description, parameters: tool.inputSchema },
            }));
      response = await chat(chatMessages(request), tools, request.model, {
        maxTokens,
        signal,
        ...(temperature !== undefined && { temperature }),
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw toFailure(error, { provider: id, now: Number.MAX_SAFE_INTEGER, media: false }); // no clock: a date means no wait
    }
    signal.throwIfAborted();
    yield* events(request, response);
  }
  return { id, stream };
}

function* events(request: ModelRequest, response: ChatResponse): Generator<ModelEvent> {
  const parts: AssistantPart[] = [];
  const reasoning = response.reasoning ?? "";
  if (reasoning !== "") {
    yield { type: "thinking.delta", index: parts.length, text: reasoning };
    parts.push({ type: "thinking", text: reasoning });
  }
  const text = response.content ?? "";
  if (text !== "") {
    yield { type: "text.delta", index: parts.length, text };
    parts.push({ type: "text", text });
  }
  const clean = response.finish === undefined || response.finish === "stop" || response.finish === "tool-calls";
  const named = (response.calls ?? []).filter((call) => call.name.trim() !== "");
  const calls = clean ? named.slice(0, MAX_CALLS) : [];
  for (const [n, call] of calls.entries()) {
    const callId = `${request.id}-${n + 1}` as CallId; // Minted here, by the rule of ModelRequest.id.
    const input = readArguments(typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments));
    yield { type: "tool-call.delta", index: parts.length, callId, name: call.name, text: argumentText(input) };
    parts.push({ type: "tool-call", callId, name: call.name, ...input });
  }
  for (const [index, part] of parts.entries()) yield { type: "part", index, part };
  const total = response.calls?.length ?? 0;
  const dropped =
    total > 0 && !clean
      ? "unfinished"
      : named.length > MAX_CALLS
        ? "too-many"
        : named.length < total
          ? "nameless"
          : undefined;
  const usage: Usage =
    response.usage === undefined ? estimatedUsage(request, parts) : { ...response.usage, cacheRead: 0, cacheWrite: 0 };
  yield {
    type: "done",
    finish: clean ? (calls.length > 0 ? "tool-calls" : "stop") : (response.finish ?? "stop"),
    usage,
    ...(dropped !== undefined && { dropped }),
  };
}

function chatMessages(request: ModelRequest): readonly ChatMessage[] {
  const system: readonly ChatMessage[] =
    request.prefix.system === "" ? [] : [{ role: "system", content: request.prefix.system }];
  return [...system, ...request.messages.map(chatMessage)];
}

function chatMessage(message: Message): ChatMessage {
  switch (message.role) {
    case "notice":
      return { role: "user", content: message.text };
    case "user":
      return { role: "user", content: textOf(message.parts) };
    case "tool":
      return { role: "tool", tool_call_id: message.callId, name: message.name, content: textOf(message.parts) };
    case "assistant": {
      const calls = message.parts.flatMap((part): ChatToolCall[] =>
        part.type === "tool-call"
          ? [{ id: part.callId, type: "function", function: { name: part.name, arguments: argumentText(part) } }]
          : [],
      );
      return { role: "assistant", content: textOf(message.parts), ...(calls.length > 0 && { tool_calls: calls }) };
    }
  }
}

function textOf(
  parts: readonly (
    | AssistantPart
    | { readonly type: "media"; readonly mediaType: string; readonly name?: string }
    | { readonly type: "text"; readonly text: string; readonly opaque?: Json }
  )[],
): string {
  return parts
    .flatMap((part) =>
      part.type === "text"
        ? [part.text]
        : part.type === "media"
          ? [`[attachment: ${part.name ?? "file"}, ${part.mediaType}]`]
          : [],
    )
    .join("\n");
}
