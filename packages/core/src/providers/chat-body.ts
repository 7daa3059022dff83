// Last changes to the body of an OpenAI-compatible request that the AI SDK's adapter has no words for.
import { asRecord } from "./failure-text.ts";
import type { Quirks } from "./quirks.ts";

const RAW = "margay_raw_arguments";

/** Marks argument text that is not JSON; {@link chatBody} puts the text itself into the request. */
export function rawArguments(text: string): unknown {
  return { [RAW]: text.toWellFormed() };
}

type Body = Readonly<Record<string, unknown>>;

/**
 * Broken arguments as received, breakpoints on content parts, `reasoning_content` beside calls, the name of the output
 * limit. Never mutates its argument.
 */
export function chatBody(quirks: Quirks): (body: Body) => Record<string, unknown> {
  return (body) => {
    const messages = Array.isArray(body["messages"]) ? body["messages"].map((message) => chatMessage(asRecord(message) ?? {}, quirks)) : body["messages"];
    const { max_tokens: limit, ...rest } = body;
    const field = quirks.maxTokensField ?? "max_tokens";
    return { ...rest, ...(limit !== undefined && { [field]: limit }), messages, ...(quirks.cacheControl === "blocks" && { tools: markedTools(body["tools"]) }) };
  };
}

function chatMessage(message: Body, quirks: Quirks): Body {
  let changed = message;
  const calls = message["tool_calls"];
  if (Array.isArray(calls)) {
    changed = { ...changed, tool_calls: calls.map((call) => chatCall(asRecord(call) ?? {})) };
    if (quirks.echoReasoning === true && changed["reasoning_content"] === undefined) changed = { ...changed, reasoning_content: "" };
  }
  return quirks.cacheControl === "blocks" ? blockContent(changed) : changed;
}

function chatCall(call: Body): Body {
  const fn = asRecord(call["function"]);
  const text = fn?.["arguments"];
  if (typeof text !== "string" || !text.startsWith(`{"${RAW}":`)) return call;
  const raw = asRecord(JSON.parse(text))?.[RAW];
  return typeof raw === "string" ? { ...call, function: { ...fn, arguments: raw } } : call;
}

/** Content always as parts, so that a breakpoint that moves on changes no other byte. */
function blockContent(message: Body): Body {
  const { cache_control: mark, ...rest } = message;
  const content = message["content"];
  const parts = typeof content === "string" ? (content === "" ? [] : [{ type: "text", text: content }]) : Array.isArray(content) ? content.map((part) => asRecord(part) ?? {}) : [];
  if (parts.length === 0) return rest;
  const last = parts.length - 1;
  const marked = mark ?? parts.find((part) => asRecord(part)?.["cache_control"] !== undefined)?.["cache_control" as never];
  return { ...rest, content: parts.map((part, at) => (at === last && marked !== undefined ? { ...part, cache_control: marked } : part)) };
}

function markedTools(tools: unknown): unknown {
  if (!Array.isArray(tools) || tools.length === 0) return tools;
  return tools.map((tool, at) => (at === tools.length - 1 ? { ...asRecord(tool), cache_control: { type: "ephemeral" } } : tool));
}
