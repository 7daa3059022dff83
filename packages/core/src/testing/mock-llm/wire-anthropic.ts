// Anthropic Messages. @see https://docs.anthropic.com/en/api/messages

import type { Fields } from "./json.ts";
import { fields, list, parseObject, plain, string } from "./json.ts";
import type { AnswerContext, FullPart, Wire, WireFinish, WireMessage, WirePart, WireRequest } from "./wire.ts";
import { sse } from "./wire.ts";

const FINISH: Readonly<Record<WireFinish, string>> = {
  stop: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  refusal: "refusal",
};

export const anthropicWire: Wire = {
  api: "anthropic",
  signed: true,
  read,
  json: (parts, context) => messageOf(context, parts.map(blockOf), FINISH[context.finish]),
  open: (context) => event("message_start", { message: messageOf(context, [], null) }),
  block(part, index) {
    const stop = event("content_block_stop", { index });
    const delta = (inner: object): string => event("content_block_delta", { index, delta: inner });
    switch (part.type) {
      case "call":
        return {
          start:
            event("content_block_start", {
              index,
              content_block: { type: "tool_use", id: part.id, name: part.name, input: {} },
            }) + delta({ type: "input_json_delta", partial_json: part.arguments }),
          delta: () => "",
          stop,
        };
      case "thinking":
        return {
          start: event("content_block_start", {
            index,
            content_block: { type: "thinking", thinking: "", signature: "" },
          }),
          delta: (text) => delta({ type: "thinking_delta", thinking: text }),
          stop:
            (part.signature === undefined ? "" : delta({ type: "signature_delta", signature: part.signature })) + stop,
        };
      case "text":
        return {
          start: event("content_block_start", { index, content_block: { type: "text", text: "" } }),
          delta: (text) => delta({ type: "text_delta", text }),
          stop,
        };
    }
  },
  close: (_parts, context) =>
    event("message_delta", {
      delta: { stop_reason: FINISH[context.finish], stop_sequence: null },
      usage: { output_tokens: context.usage?.output ?? 0 },
    }) + event("message_stop", {}),
  failure: (status, message) => ({
    type: "error",
    error: {
      type:
        {
          401: "authentication_error",
          403: "permission_error",
          404: "not_found_error",
          429: "rate_limit_error",
          529: "overloaded_error",
        }[status] ?? (status >= 500 ? "api_error" : "invalid_request_error"),
      message,
    },
  }),
};

function read(body: Fields): WireRequest {
  const problems: string[] = [];
  const tools = list(body["tools"]).map(fields);
  const system = typeof body["system"] === "string" ? [{ type: "text", text: body["system"] }] : list(body["system"]);
  const messages: WireMessage[] = [];
  const sequence: string[] = [];
  let before = "";
  if (typeof body["max_tokens"] !== "number") problems.push("max_tokens: Field required");
  for (const [index, value] of list(body["messages"]).entries()) {
    const message = fields(value);
    const role = string(message["role"]);
    if (role !== "user" && role !== "assistant") {
      problems.push(`messages.${index}: Unexpected role "${role}". Allowed roles are "user" or "assistant".`);
      continue;
    }
    if (role === before) problems.push(`messages.${index}: roles must alternate between "user" and "assistant".`);
    before = role;
    const content =
      typeof message["content"] === "string" ? [{ type: "text", text: message["content"] }] : list(message["content"]);
    const parts = content.map(partOf);
    if (parts.length === 0) problems.push(`messages.${index}: content must not be empty.`);
    if (parts.some((part) => part.type === "text" && part.text.trim() === ""))
      problems.push(`messages.${index}: text content blocks must contain non-whitespace text.`);
    const results = parts.filter((part) => part.type === "result");
    const rest = parts.filter((part) => part.type !== "result");
    if (parts.findLastIndex((part) => part.type === "result") >= results.length)
      problems.push(`messages.${index}: tool_result blocks must come first.`);
    if (results.length > 0) messages.push({ role: "tool", parts: results });
    if (rest.length > 0) messages.push({ role, parts: rest });
    sequence.push(...content.map((part) => `${role} ${plain(part)}`));
  }
  const cacheKey = string(fields(body["metadata"])["user_id"]);
  return {
    model: string(body["model"]),
    stream: body["stream"] === true,
    system: system.map((part) => string(fields(part)["text"])).join("\n"),
    toolNames: tools.map((tool) => string(tool["name"])),
    messages,
    ...(cacheKey !== "" && { cacheKey }),
    sequence: [`tools ${plain(tools)}`, ...system.map((part) => `system ${plain(part)}`), ...sequence],
    problems,
  };
}

function partOf(value: unknown): WirePart {
  const part = fields(value);
  switch (part["type"]) {
    case "text":
      return { type: "text", text: string(part["text"]) };
    case "image": {
      const source = fields(part["source"]);
      return { type: "image", mediaType: string(source["media_type"]), data: string(source["data"]) };
    }
    case "thinking":
      return {
        type: "thinking",
        text: string(part["thinking"]),
        ...(typeof part["signature"] === "string" && { signature: part["signature"] }),
      };
    case "tool_use":
      return {
        type: "call",
        callId: string(part["id"]),
        name: string(part["name"]),
        arguments: JSON.stringify(part["input"] ?? null),
      };
    case "tool_result": {
      const content = part["content"];
      return {
        type: "result",
        callId: string(part["tool_use_id"]),
        text:
          typeof content === "string"
            ? content
            : list(content)
                .map((inner) => string(fields(inner)["text"]))
                .join("\n"),
      };
    }
    default:
      return { type: "other", json: plain(part) };
  }
}

const event = (type: string, rest: object): string => sse({ type, ...rest }, type);

function blockOf(part: FullPart): object {
  switch (part.type) {
    case "call":
      return { type: "tool_use", id: part.id, name: part.name, input: parseObject(part.arguments) };
    case "thinking":
      return { type: "thinking", thinking: part.text, signature: part.signature ?? "" };
    case "text":
      return { type: "text", text: part.text };
  }
}

function messageOf(context: AnswerContext, content: readonly object[], stopReason: string | null): object {
  const usage = context.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    id: `msg_${context.id}`,
    type: "message",
    role: "assistant",
    model: context.model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: {
      input_tokens: Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite), // this API counts cached tokens apart
      cache_creation_input_tokens: usage.cacheWrite,
      cache_read_input_tokens: usage.cacheRead,
      output_tokens: stopReason === null ? 1 : usage.output,
    },
  };
}
