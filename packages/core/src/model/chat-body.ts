// Last changes to the body of an OpenAI-compatible request that the AI SDK's adapter has no words for.
import { asRecord } from "./failure-text.ts";
import type { Quirks } from "./quirks.ts";

type Body = Readonly<Record<string, unknown>>;

/**
 * Breakpoints on content parts, `reasoning_content` beside calls, the name of the output
 * limit. Never mutates its argument.
 */
export function chatBody(quirks: Quirks): (body: Body) => Record<string, unknown> {
  return (body) => {
    const messages = Array.isArray(body["messages"])
      ? body["messages"].map((message) => chatMessage(asRecord(message) ?? {}, quirks))
      : body["messages"];
    const { max_tokens: limit, ...rest } = body;
    const field = quirks.maxTokensField ?? "max_tokens";
    return {
      ...rest,
      ...(limit !== undefined && { [field]: limit }),
      messages,
      ...(quirks.cacheControl === "blocks" && { tools: markedTools(body["tools"]) }),
    };
  };
}

function chatMessage(message: Body, quirks: Quirks): Body {
  let changed = message;
  const calls = message["tool_calls"];
  if (Array.isArray(calls) && quirks.echoReasoning === true && message["reasoning_content"] === undefined)
    changed = { ...changed, reasoning_content: "" };
  return quirks.cacheControl === "blocks" ? blockContent(changed) : changed;
}

/** Content always as parts, so that a breakpoint that moves on changes no other byte. */
function blockContent(message: Body): Body {
  const { cache_control: mark, ...rest } = message;
  const content = message["content"];
  const parts =
    typeof content === "string"
      ? content === ""
        ? []
        : [{ type: "text", text: content }]
      : Array.isArray(content)
        ? content.map((part) => asRecord(part) ?? {})
        : [];
  if (parts.length === 0) return rest;
  const last = parts.length - 1;
  const marked = mark ?? parts.map((part) => asRecord(part)?.["cache_control"]).find((value) => value !== undefined);
  return {
    ...rest,
    content: parts.map((part, at) => (at === last && marked !== undefined ? { ...part, cache_control: marked } : part)),
  };
}

function markedTools(tools: unknown): unknown {
  if (!Array.isArray(tools) || tools.length === 0) return tools;
  return tools.map((tool, at) =>
    at === tools.length - 1 ? { ...asRecord(tool), cache_control: { type: "ephemeral" } } : tool,
  );
}
