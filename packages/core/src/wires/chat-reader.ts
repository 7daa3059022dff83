// Answers of OpenAI Chat Completions and the many servers that say they speak it.
import type { RuntimeError } from "../lib/errors/errors.ts";
import { asRecord } from "../model/failure-text.ts";
import type { TokenReport } from "../model/usage.ts";
import type { Answer, ThinkingSink } from "../model/wire/answer.ts";
import type { Ending } from "../model/wire/finished-parts.ts";
import { chatCalls, type ChatCalls } from "./chat-calls.ts";
import type { WireEvent, WireReader } from "../model/wire/wire.ts";

/** How an answer ended, as vendors spell it. `broken`: it broke off. */
const FINISH: Readonly<Record<string, Ending | "broken">> = {
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
  tool_calls: "tool-calls",
  tool_call: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  content_filter: "refusal",
  content_filtered: "refusal",
  safety: "refusal",
  sensitive: "refusal",
  refusal: "refusal",
  recitation: "refusal",
  error: "broken",
  network_error: "broken",
  insufficient_system_resource: "broken",
  engine_overloaded: "broken",
};

type Field = "content" | "reasoning" | "refusal";
interface Reading {
  readonly answer: Answer;
  readonly failed: (status: number, body: WireEvent) => RuntimeError;
  readonly calls: ChatCalls;
  ending: Ending;
  usage: WireEvent | undefined;
  closed: boolean;
  /** Something was said. */
  answered: boolean;
  refused: boolean;
  /** Until something else is said. */
  thinking: ThinkingSink | undefined;
  field: Field | undefined;
  held: string;
}

export function readChat(answer: Answer, failed: Reading["failed"]): WireReader {
  const reading: Reading = {
    answer,
    failed,
    calls: chatCalls((name) => answer.call(name)),
    ending: undefined,
    usage: undefined,
    closed: false,
    answered: false,
    refused: false,
    thinking: undefined,
    field: undefined,
    held: "",
  };
  const event = (value: WireEvent): void => takeEvent(reading, value);
  return {
    event,
    body: event,
    marker: () => {
      // An end marker behind an answer is an end, though not one after which calls may run.
      if (reading.ending === undefined && reading.answered) reading.ending = "other";
      if (reading.ending === undefined) return;
      end(reading);
    },
    flush: () => flush(reading),
    end: () => {
      if (!reading.closed) end(reading);
    },
    get finished() {
      return reading.ending !== undefined;
    },
    get closed() {
      return reading.closed;
    },
  };
}

function takeEvent(reading: Reading, value: WireEvent): void {
  const error = failureIn(value);
  if (error !== undefined) throw reading.failed(200, error);
  const reported = asRecord(value["usage"]) ?? asRecord(asRecord(value["x_groq"])?.["usage"]);
  if (reported !== undefined) reading.usage = reported;
  const choices = value["choices"];
  if (!Array.isArray(choices)) return;
  // Only choice 0 counts, wherever it stands and also when it has no number.
  const records = choices.map(asRecord);
  const choice =
    records.find((item) => item?.["index"] === 0) ??
    records.find((item) => item !== undefined && item["index"] === undefined);
  if (choice === undefined) return;
  reading.usage = asRecord(choice["usage"]) ?? reading.usage; // Moonshot reports it here.
  takeChoice(reading, choice);
}

function takeChoice(reading: Reading, choice: WireEvent): void {
  const said = asRecord(choice["delta"]) ?? asRecord(choice["message"]);
  if (said !== undefined) takeDelta(reading, said);
  const reason = choice["finish_reason"];
  if (typeof reason !== "string" || reason === "" || reason === "null") return;
  const word = reason.toLowerCase();
  const ending = Object.hasOwn(FINISH, word) ? FINISH[word] : "other";
  if (ending === "broken")
    throw reading.failed(503, { error: { message: `The answer broke off (${reason.slice(0, 40)})` } });
  reading.ending = ending;
}

function takeDelta(reading: Reading, said: WireEvent): void {
  say(reading, "reasoning", said["reasoning_content"] ?? said["reasoning"]);
  const content = said["content"];
  if (Array.isArray(content))
    for (const part of content) say(reading, asRecord(part)?.["type"] === "thinking" ? "reasoning" : "content", part);
  else say(reading, "content", content);
  if (typeof said["refusal"] === "string") say(reading, "refusal", said["refusal"]);
  const legacy = asRecord(said["function_call"]);
  const list: readonly unknown[] = Array.isArray(said["tool_calls"])
    ? said["tool_calls"]
    : legacy === undefined
      ? []
      : [{ index: 0, function: legacy }];
  if (list.length === 0) return;
  flushText(reading);
  reading.thinking = undefined;
  reading.answered = true;
  for (const call of list) reading.calls.take(call);
}

function say(reading: Reading, field: Field, value: unknown): void {
  const text = textOf(value);
  if (text === "") return;
  reading.answered = true;
  if (reading.field !== field) {
    flush(reading);
    reading.field = field;
  }
  reading.held += text;
}

function flush(reading: Reading): void {
  flushText(reading);
  reading.calls.flush();
}

function flushText(reading: Reading): void {
  const { answer, field, held } = reading;
  reading.field = undefined;
  reading.held = "";
  if (held === "") return;
  if (field === "reasoning") (reading.thinking ??= answer.thinking()).add(held);
  else {
    reading.thinking = undefined;
    if (field === "refusal") reading.refused = true;
    answer.text(held);
  }
}

function end(reading: Reading): void {
  flush(reading);
  reading.calls.end();
  const ending = reading.refused && reading.ending === "stop" ? "refusal" : reading.ending;
  reading.answer.finish(ending, reading.usage === undefined ? undefined : tokensOf(reading.usage));
  reading.closed = true;
}

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

function tokensOf(usage: WireEvent): TokenReport {
  const count = (value: unknown): number | undefined =>
    typeof value === "number" && Number.isFinite(value) ? value : undefined;
  // DeepSeek and Moonshot report the cached part beside the details.
  const cached =
    count(asRecord(usage["prompt_tokens_details"])?.["cached_tokens"]) ??
    count(usage["prompt_cache_hit_tokens"]) ??
    count(usage["cached_tokens"]);
  return {
    inputTokens: { total: count(usage["prompt_tokens"]) ?? count(usage["input_tokens"]), cacheRead: cached },
    outputTokens: { total: count(usage["completion_tokens"]) ?? count(usage["output_tokens"]) },
  };
}
