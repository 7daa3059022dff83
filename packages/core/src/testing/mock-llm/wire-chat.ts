// OpenAI Chat Completions. @see https://platform.openai.com/docs/api-reference/chat

import { fields, list, plain, string } from "./json.ts";
import type { AnswerContext, FullPart, Wire, WireFinish, WireMessage, WirePart, WireRequest } from "./wire.ts";
import { dataUrl, sse } from "./wire.ts";

const FINISH: Readonly<Record<WireFinish, string>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  refusal: "content_filter",
};

export const chatWire: Wire = {
  api: "chat",
  signed: false,
  read,
  json: (parts, context) => ({
    id: context.id,
    object: "chat.completion",
    created: 1_700_000_000,
    model: context.model,
    choices: [{ index: 0, message: messageOf(parts), finish_reason: FINISH[context.finish] }],
    ...(context.usage !== undefined && { usage: usageOf(context.usage) }),
  }),
  open: (context) => chunk(context, { role: "assistant", content: "" }),
  block(part, index, context) {
    if (part.type === "call")
      return { start: chunk(context, { tool_calls: [{ index, ...callOf(part) }] }), delta: () => "", stop: "" };
    const field = part.type === "thinking" ? "reasoning_content" : "content";
    return { start: "", delta: (text) => chunk(context, { [field]: text }), stop: "" };
  },
  close: (_parts, context) =>
    chunk(context, {}, FINISH[context.finish]) +
    (context.usage !== undefined && fields(context.body["stream_options"])["include_usage"] === true
      ? sse({ ...envelope(context), choices: [], usage: usageOf(context.usage) })
      : "") +
    sse("[DONE]"),
  failure: (status, message) => ({
    error: {
      message,
      type: status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error",
      param: null,
      code: null,
    },
  }),
};

function read(body: ReturnType<typeof fields>): WireRequest {
  const problems: string[] = [];
  const tools = list(body["tools"]).map(fields);
  const messages: WireMessage[] = [];
  const sequence: string[] = [];
  const system: string[] = [];
  for (const [index, item] of list(body["messages"]).entries()) {
    const message = fields(item);
    const role = string(message["role"]);
    const parts = partsOf(message, role);
    if (role === "system" || role === "developer") {
      if (messages.some((other) => other.role !== "system"))
        problems.push(`messages[${index}]: a system message after the first message.`);
      system.push(textOf(parts));
      messages.push({ role: "system", parts });
    } else if (role === "user" || role === "assistant" || role === "tool") {
      if (role === "assistant" && parts.every((part) => part.type === "thinking"))
        problems.push(`messages[${index}]: an assistant message needs content or tool_calls.`);
      if (role === "user" && parts.length === 0) problems.push(`messages[${index}]: a user message without content.`);
      messages.push({ role, parts });
    } else problems.push(`messages[${index}]: '${role}' is not one of system, developer, user, assistant, tool.`);
    sequence.push(...flat(message, role));
  }
  const cacheKey = string(body["prompt_cache_key"]) || string(body["user"]);
  return {
    model: string(body["model"]),
    stream: body["stream"] === true,
    system: system.join("\n"),
    toolNames: tools.map((tool) => string(fields(tool["function"])["name"]) || string(tool["type"])),
    messages,
    ...(cacheKey !== "" && { cacheKey }),
    sequence: [`tools ${plain(tools)}`, ...sequence],
    problems,
  };
}

function partsOf(message: ReturnType<typeof fields>, role: string): readonly WirePart[] {
  const content = message["content"];
  const parts: WirePart[] =
    typeof content === "string"
      ? content === ""
        ? []
        : [{ type: "text", text: content }]
      : list(content).map((item) => {
          const part = fields(item);
          if (part["type"] === "text") return { type: "text", text: string(part["text"]) };
          if (part["type"] === "image_url") return dataUrl(string(fields(part["image_url"])["url"]));
          return { type: "other", json: plain(part) };
        });
  if (role === "tool") return [{ type: "result", callId: string(message["tool_call_id"]), text: textOf(parts) }];
  if (role !== "assistant") return parts;
  const reasoning = message["reasoning_content"] ?? message["reasoning"];
  return [
    ...(typeof reasoning === "string" ? [{ type: "thinking", text: reasoning } as const] : []),
    ...parts,
    ...list(message["tool_calls"]).map((item): WirePart => {
      const call = fields(item);
      const target = fields(call["function"]);
      return {
        type: "call",
        callId: string(call["id"]),
        name: string(target["name"]),
        arguments: string(target["arguments"]),
      };
    }),
  ];
}

/** A string and a single text part are the same tokens. */
function flat(message: ReturnType<typeof fields>, role: string): readonly string[] {
  const { role: _role, content, tool_calls: calls, cache_control: _marker, ...rest } = message;
  const parts =
    typeof content === "string"
      ? content === "" && role === "assistant"
        ? []
        : [{ type: "text", text: content }]
      : list(content);
  return [
    ...(Object.keys(rest).length > 0 ? [`${role} ${plain(rest)}`] : []),
    ...parts.map((part) => `${role} ${plain(part)}`),
    ...list(calls).map((call) => `${role} ${plain(call)}`),
  ];
}

function textOf(parts: readonly WirePart[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function envelope(context: AnswerContext): object {
  return { id: context.id, object: "chat.completion.chunk", created: 1_700_000_000, model: context.model };
}

function chunk(context: AnswerContext, delta: object, finish: string | null = null): string {
  return sse({ ...envelope(context), choices: [{ index: 0, delta, finish_reason: finish }] });
}

function callOf(part: Extract<FullPart, { type: "call" }>): object {
  return { id: part.id, type: "function", function: { name: part.name, arguments: part.arguments } };
}

function messageOf(parts: readonly FullPart[]): object {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const thinking = parts.flatMap((part) => (part.type === "thinking" ? [part.text] : []));
  const calls = parts.flatMap((part) => (part.type === "call" ? [callOf(part)] : []));
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(thinking.length > 0 && { reasoning_content: thinking.join("") }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function usageOf(usage: NonNullable<AnswerContext["usage"]>): object {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
  };
}
