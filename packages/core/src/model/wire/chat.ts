// OpenAI Chat Completions and the many servers that say they speak it.
import { asRecord } from "../failure-text.ts";
import { chatCalls } from "./chat-calls.ts";
import type { Wire, WireEvent } from "./wire.ts";

/** Other words for how an answer ended, as vendors spell them. `error`: the answer broke off. */
const FINISH: Readonly<Record<string, string>> = {
  stop: "stop",
  end_turn: "stop",
  eos: "stop",
  eos_token: "stop",
  stop_sequence: "stop",
  end: "stop",
  complete: "stop",
  normal: "stop",
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  tool_calls: "tool_calls",
  tool_call: "tool_calls",
  tool_use: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
  content_filtered: "content_filter",
  safety: "content_filter",
  sensitive: "content_filter",
  refusal: "content_filter",
  recitation: "content_filter",
  error: "error",
  network_error: "error",
  insufficient_system_resource: "error",
  engine_overloaded: "error",
};

export const chatWire: Wire = (output) => {
  let finish: string | undefined;
  let usage: WireEvent | undefined;
  let closed = false;
  let answered = false;
  let held: { readonly field: "content" | "reasoning_content" | "refusal"; text: string } | undefined;
  const delta = (fields: WireEvent): void => output.send({ choices: [{ index: 0, delta: fields }] });
  const flushText = (): void => {
    if (held !== undefined) delta({ [held.field]: held.text });
    held = undefined;
  };
  const calls = chatCalls((call) => {
    flushText();
    delta({ tool_calls: [call] });
  });
  const flush = (): void => {
    flushText();
    calls.flush();
  };
  const say = (field: "content" | "reasoning_content" | "refusal", value: unknown): void => {
    const text = textOf(value);
    if (text === "") return;
    answered = true;
    if (held?.field === field) held.text += text;
    else {
      flush();
      held = { field, text };
    }
  };
  const read = (choice: WireEvent): void => {
    const said = asRecord(choice["delta"]) ?? asRecord(choice["message"]);
    if (said !== undefined) {
      say("reasoning_content", said["reasoning_content"] ?? said["reasoning"]);
      const content = said["content"];
      if (Array.isArray(content)) {
        for (const part of content)
          say(asRecord(part)?.["type"] === "thinking" ? "reasoning_content" : "content", part);
      } else say("content", content);
      if (typeof said["refusal"] === "string") say("refusal", said["refusal"]);
      const legacy = asRecord(said["function_call"]);
      const list = Array.isArray(said["tool_calls"])
        ? said["tool_calls"]
        : legacy === undefined
          ? []
          : [{ index: 0, function: legacy }];
      if (list.length > 0) {
        flushText();
        answered = true;
        for (const call of list) calls.take(call);
      }
    }
    const reason = choice["finish_reason"];
    if (typeof reason === "string" && reason !== "" && reason !== "null") {
      finish = FINISH[reason.toLowerCase()] ?? reason;
      if (finish === "error")
        throw output.failed(503, { error: { message: `The answer broke off (${reason.slice(0, 40)})` } });
    }
  };
  const event = (value: WireEvent): void => {
    const error = failureIn(value);
    if (error !== undefined) throw output.failed(200, error);
    const reported = asRecord(value["usage"]) ?? asRecord(asRecord(value["x_groq"])?.["usage"]);
    if (reported !== undefined) usage = reported;
    const choices = Array.isArray(value["choices"]) ? value["choices"].map(asRecord) : [];
    // Only choice 0 counts, wherever it stands and also when it has no number.
    const choice =
      choices.find((item) => item?.["index"] === 0) ??
      choices.find((item) => item !== undefined && item["index"] === undefined);
    if (choice === undefined) return;
    usage = asRecord(choice["usage"]) ?? usage; // Moonshot reports it here.
    read(choice);
  };
  const end = (): void => {
    flush();
    calls.end();
    output.send({
      choices: [{ index: 0, delta: {}, finish_reason: finish ?? null }],
      ...(usage !== undefined && { usage: strictUsage(usage) }),
    });
  };
  return {
    event,
    body: event,
    marker: () => {
      // An end marker behind an answer is an end, though not one after which calls may run.
      if (finish === undefined && answered) finish = "marker";
      if (finish === undefined) return;
      end();
      closed = true;
    },
    flush,
    end: () => {
      if (!closed) end();
    },
    get finished() {
      return finish !== undefined;
    },
    get closed() {
      return closed;
    },
    failure: (text) => ({ error: { message: text } }),
  };
};

function failureIn(value: WireEvent): WireEvent | undefined {
  const error = value["error"];
  if (asRecord(error) !== undefined || (typeof error === "string" && error !== "")) return value;
  if (value["object"] === "error" || typeof value["error_msg"] === "string") return value; // vLLM, Qianfan
  const base = asRecord(value["base_resp"]); // MiniMax says 200 and the truth in here.
  const code = base?.["status_code"];
  if (typeof code !== "number" || code === 0) return undefined;
  const status =
    code === 1008 ? 402 : code === 1002 || code === 1039 ? 429 : code === 1004 || code === 2049 ? 401 : 400;
  return { error: { message: base?.["status_msg"] ?? `code ${code}`, code: status } };
}

/** Text of a string, of a part, of an array of parts; a number is its digits; anything else says nothing. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.map(textOf).join("");
  const part = asRecord(value);
  if (part === undefined) return "";
  return typeof part["text"] === "string" ? part["text"] : textOf(part["thinking"]);
}

/** Numbers only: one odd field would make the strict reader reject the event with the finish in it. */
function strictUsage(usage: WireEvent): WireEvent {
  const count = (value: unknown): number | undefined =>
    typeof value === "number" && Number.isFinite(value) ? value : undefined;
  const prompt = asRecord(usage["prompt_tokens_details"]);
  const completion = asRecord(usage["completion_tokens_details"]);
  // DeepSeek and Moonshot report the cached part beside the details.
  const cached =
    count(prompt?.["cached_tokens"]) ?? count(usage["prompt_cache_hit_tokens"]) ?? count(usage["cached_tokens"]);
  return {
    prompt_tokens: count(usage["prompt_tokens"]) ?? count(usage["input_tokens"]),
    completion_tokens: count(usage["completion_tokens"]) ?? count(usage["output_tokens"]),
    total_tokens: count(usage["total_tokens"]),
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
    ...(completion !== undefined && {
      completion_tokens_details: { reasoning_tokens: count(completion["reasoning_tokens"]) },
    }),
  };
}
