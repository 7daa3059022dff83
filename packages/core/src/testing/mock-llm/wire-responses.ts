// OpenAI Responses. @see https://platform.openai.com/docs/api-reference/responses

import type { Fields } from "./json.ts";
import { fields, list, plain, string } from "./json.ts";
import type { AnswerContext, FullPart, Wire, WireMessage, WirePart, WireRequest } from "./wire.ts";
import { dataUrl, sse } from "./wire.ts";

export const responsesWire: Wire = {
  api: "responses",
  signed: false,
  read,
  json: (parts, context) => responseOf(parts, context, false),
  open: (context) =>
    event("response.created", { response: responseOf([], context, true) }) +
    event("response.in_progress", { response: responseOf([], context, true) }),
  block(part, index, context) {
    const item = itemOf(part, index, context);
    const at = { output_index: index, item_id: item["id"] };
    const done = event("response.output_item.done", { output_index: index, item });
    if (part.type === "call")
      return {
        start:
          event("response.output_item.added", {
            output_index: index,
            item: { ...item, status: "in_progress", arguments: "" },
          }) +
          event("response.function_call_arguments.delta", { ...at, delta: part.arguments }) +
          event("response.function_call_arguments.done", { ...at, arguments: part.arguments }),
        delta: () => "",
        stop: done,
      };
    if (part.type === "thinking") {
      const summary = { ...at, summary_index: 0 };
      return {
        start:
          event("response.output_item.added", { output_index: index, item: { ...item, summary: [] } }) +
          event("response.reasoning_summary_part.added", { ...summary, part: { type: "summary_text", text: "" } }),
        delta: (text) => event("response.reasoning_summary_text.delta", { ...summary, delta: text }),
        stop:
          event("response.reasoning_summary_text.done", { ...summary, text: part.text }) +
          event("response.reasoning_summary_part.done", {
            ...summary,
            part: { type: "summary_text", text: part.text },
          }) +
          done,
      };
    }
    const content = { ...at, content_index: 0 };
    return {
      start:
        event("response.output_item.added", {
          output_index: index,
          item: { ...item, status: "in_progress", content: [] },
        }) + event("response.content_part.added", { ...content, part: outputText("") }),
      delta: (text) => event("response.output_text.delta", { ...content, delta: text, logprobs: [] }),
      stop:
        event("response.output_text.done", { ...content, text: part.text, logprobs: [] }) +
        event("response.content_part.done", { ...content, part: outputText(part.text) }) +
        done,
    };
  },
  close: (parts, context) =>
    event(incomplete(context) === undefined ? "response.completed" : "response.incomplete", {
      response: responseOf(parts, context, false),
    }),
  failure: (status, message) => ({
    error: {
      message,
      type: status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error",
      param: null,
      code: null,
    },
  }),
};

function read(body: Fields): WireRequest {
  const problems: string[] = [];
  const tools = list(body["tools"]).map(fields);
  const input = typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : list(body["input"]);
  const system = string(body["instructions"]) === "" ? [] : [string(body["instructions"])];
  const messages: WireMessage[] = [];
  const sequence: string[] = [];
  for (const [index, value] of input.entries()) {
    const item = fields(value);
    const message = messageOf(item);
    if (message === undefined) {
      problems.push(
        `input[${index}]: '${string(item["type"]) || string(item["role"])}' ${item["type"] === "item_reference" ? "needs the provider's memory; send the item itself" : "is not a known item"}.`,
      );
      continue;
    }
    if (message.role === "system") {
      if (messages.some((other) => other.role !== "system"))
        problems.push(`input[${index}]: a system message after the first message.`);
      system.push(message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"));
    }
    const last = messages.at(-1);
    // Items of one response are one message; so are the results of one round.
    if (last !== undefined && last.role === message.role && (message.role === "assistant" || message.role === "tool"))
      messages[messages.length - 1] = { role: last.role, parts: [...last.parts, ...message.parts] };
    else messages.push(message);
    sequence.push(...flat(item, message.role));
  }
  const cacheKey = string(body["prompt_cache_key"]) || string(body["user"]);
  return {
    model: string(body["model"]),
    stream: body["stream"] === true,
    system: system.join("\n"),
    toolNames: tools.map((tool) => string(tool["name"]) || string(tool["type"])),
    messages,
    ...(cacheKey !== "" && { cacheKey }),
    sequence: [`tools ${plain(tools)}`, `instructions ${string(body["instructions"])}`, ...sequence],
    problems,
  };
}

function messageOf(item: Fields): WireMessage | undefined {
  if (item["type"] === "function_call")
    return {
      role: "assistant",
      parts: [
        {
          type: "call",
          callId: string(item["call_id"]),
          name: string(item["name"]),
          arguments: string(item["arguments"]),
        },
      ],
    };
  if (item["type"] === "function_call_output")
    return {
      role: "tool",
      parts: [
        {
          type: "result",
          callId: string(item["call_id"]),
          text:
            typeof item["output"] === "string"
              ? item["output"]
              : list(item["output"])
                  .map((part) => string(fields(part)["text"]))
                  .join("\n"),
        },
      ],
    };
  if (item["type"] === "reasoning") {
    const signature = string(item["encrypted_content"]);
    return {
      role: "assistant",
      parts: [
        {
          type: "thinking",
          text: list(item["summary"])
            .map((part) => string(fields(part)["text"]))
            .join("\n"),
          ...(signature !== "" && { signature }),
        },
      ],
    };
  }
  const role = item["role"] === "developer" ? "system" : item["role"];
  if (role !== "system" && role !== "user" && role !== "assistant") return undefined;
  const content = item["content"];
  return { role, parts: typeof content === "string" ? [{ type: "text", text: content }] : list(content).map(partOf) };
}

function partOf(value: unknown): WirePart {
  const part = fields(value);
  if (part["type"] === "input_image") return dataUrl(string(part["image_url"]));
  return typeof part["text"] === "string" ? { type: "text", text: part["text"] } : { type: "other", json: plain(part) };
}

function flat(item: Fields, role: string): readonly string[] {
  if (item["role"] === undefined || role === "tool") return [`${role} ${plain(item)}`];
  const content =
    typeof item["content"] === "string" ? [{ type: "input_text", text: item["content"] }] : list(item["content"]);
  return content.map((part) => `${role} ${plain(part)}`);
}

const outputText = (text: string): object => ({ type: "output_text", text, annotations: [], logprobs: [] });
const event = (type: string, rest: object): string => sse({ type, sequence_number: 0, ...rest }, type);

function itemOf(part: FullPart, index: number, context: AnswerContext): Fields {
  switch (part.type) {
    case "call":
      return {
        id: `fc_${context.id}_${index}`,
        type: "function_call",
        status: "completed",
        call_id: part.id,
        name: part.name,
        arguments: part.arguments,
      };
    case "thinking":
      return {
        id: `rs_${context.id}_${index}`,
        type: "reasoning",
        summary: [{ type: "summary_text", text: part.text }],
        ...(part.signature !== undefined && { encrypted_content: part.signature }),
      };
    case "text":
      return {
        id: `msg_${context.id}_${index}`,
        type: "message",
        status: "completed",
        role: "assistant",
        content: [outputText(part.text)],
      };
  }
}

function incomplete(context: AnswerContext): string | undefined {
  return context.finish === "length"
    ? "max_output_tokens"
    : context.finish === "refusal"
      ? "content_filter"
      : undefined;
}

function responseOf(parts: readonly FullPart[], context: AnswerContext, running: boolean): object {
  const reason = incomplete(context);
  const usage = context.usage;
  return {
    id: `resp_${context.id}`,
    object: "response",
    created_at: 1_700_000_000,
    status: running ? "in_progress" : reason === undefined ? "completed" : "incomplete",
    model: context.model,
    output: parts.map((part, index) => itemOf(part, index, context)),
    error: null,
    incomplete_details: running || reason === undefined ? null : { reason },
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage:
      running || usage === undefined
        ? null
        : {
            input_tokens: usage.input,
            input_tokens_details: { cached_tokens: usage.cacheRead },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: usage.input + usage.output,
          },
  };
}
