// Answers of OpenAI Responses.
import type { Json } from "../contract/base.ts";
import type { RuntimeError } from "../lib/errors/errors.ts";
import { asRecord } from "../model/failure-text.ts";
import type { TokenReport } from "../model/usage.ts";
import type { Answer, CallSink, ThinkingSink } from "../model/wire/answer.ts";
import type { Ending } from "../model/wire/finished-parts.ts";
import type { State } from "../model/wire/pieces.ts";
import type { WireEvent, WireReader } from "../model/wire/wire.ts";

/** Deltas that are joined while they go on, and what they are of. */
const JOINED: Readonly<Record<string, "text" | "refusal" | "thinking" | "arguments">> = {
  "response.output_text.delta": "text",
  "response.refusal.delta": "refusal",
  "response.reasoning_summary_text.delta": "thinking",
  "response.function_call_arguments.delta": "arguments",
};

/** One item of reasoning: its summaries are texts of their own. */
interface Reasoning {
  readonly id: Json;
  readonly encrypted: Json;
  readonly parts: Map<number, ThinkingSink>;
  /** Parts before it are complete, and keep the state that they had. */
  from: number;
}
interface Reading {
  readonly answer: Answer;
  readonly failed: (status: number, body: WireEvent) => RuntimeError;
  /** By place in the answer: servers vary the ids of an item. */
  readonly calls: Map<unknown, CallSink>;
  readonly reasoning: Map<unknown, Reasoning>;
  finished: boolean;
  /** There was more than the last event. */
  said: boolean;
  called: boolean;
  refused: boolean;
  held: { readonly kind: string; readonly place: unknown; readonly summary: number; text: string } | undefined;
}

export function readResponses(answer: Answer, failed: Reading["failed"]): WireReader {
  const reading: Reading = {
    answer,
    failed,
    calls: new Map(),
    reasoning: new Map(),
    finished: false,
    said: false,
    called: false,
    refused: false,
    held: undefined,
  };
  return {
    event: (value) => takeEvent(reading, value),
    body: (body) => {
      if (body["object"] !== "response" && !Array.isArray(body["output"])) takeEvent(reading, body);
      else if (body["status"] === "failed" || asRecord(body["error"]) !== undefined) throw failed(200, body);
      else finish(reading, body);
    },
    marker: () => undefined,
    flush: () => flush(reading),
    end: () => flush(reading),
    get finished() {
      return reading.finished;
    },
    get closed() {
      return reading.finished;
    },
  };
}

function takeEvent(reading: Reading, value: WireEvent): void {
  const type = typeof value["type"] === "string" ? value["type"] : undefined;
  const kind = type !== undefined && Object.hasOwn(JOINED, type) ? JOINED[type] : undefined;
  if (kind !== undefined) {
    takeDelta(reading, kind, value);
    return;
  }
  flush(reading);
  const response = asRecord(value["response"]);
  if (
    type === "error" ||
    type === "response.failed" ||
    response?.["status"] === "failed" ||
    (type === undefined && value["error"] != null)
  )
    throw reading.failed(200, response ?? value);
  const item = asRecord(value["item"]);
  if (type === "response.output_item.added" && item !== undefined) startItem(reading, placeOf(value, item), item);
  else if (type === "response.output_item.done" && item !== undefined) endItem(reading, placeOf(value, item), item);
  else if (type === "response.reasoning_summary_part.added") startSummary(reading, value);
  else if ((type === "response.completed" || type === "response.incomplete") && response !== undefined)
    finish(reading, response);
}

function placeOf(value: WireEvent, item?: WireEvent): unknown {
  return value["output_index"] ?? value["item_id"] ?? item?.["id"];
}

function takeDelta(reading: Reading, kind: string, value: WireEvent): void {
  const text = value["delta"];
  if (typeof text !== "string" || text === "") return;
  if (kind !== "thinking") reading.said = true;
  if (kind === "refusal") reading.refused = true;
  const place = placeOf(value);
  const summary = typeof value["summary_index"] === "number" ? value["summary_index"] : 0;
  const { held } = reading;
  if (held?.kind === kind && held.place === place && held.summary === summary) held.text += text;
  else {
    flush(reading);
    reading.held = { kind, place, summary, text };
  }
}

function flush(reading: Reading): void {
  if (reading.held === undefined) return;
  const { kind, place, summary, text } = reading.held;
  reading.held = undefined;
  if (kind === "thinking") summaryOf(reading, place, summary).add(text);
  else if (kind === "arguments") reading.calls.get(place)?.add(text);
  else reading.answer.text(text);
}

function startItem(reading: Reading, place: unknown, item: WireEvent): void {
  switch (item["type"]) {
    case "message":
      reading.answer.breakText();
      return;
    case "function_call":
      reading.said = true;
      reading.calls.set(place, reading.answer.call(nameOf(item)));
      return;
    case "reasoning": {
      const reasoning: Reasoning = { ...stateOf(item), parts: new Map(), from: 0 };
      reading.reasoning.set(place, reasoning);
      openSummary(reading, reasoning, 0);
      return;
    }
    default: // Items of server tools are passed over.
  }
}

function endItem(reading: Reading, place: unknown, item: WireEvent): void {
  if (item["type"] === "function_call") {
    reading.said = true;
    reading.called = true;
    const call = reading.calls.get(place) ?? reading.answer.call(nameOf(item));
    const known = reading.calls.delete(place);
    const text = typeof item["arguments"] === "string" ? item["arguments"] : "";
    if (!known) call.add(text);
    call.end(
      text === "" ? undefined : text,
      typeof item["id"] === "string" ? { openai: { itemId: item["id"] } } : undefined,
    );
  } else if (item["type"] === "reasoning") {
    const reasoning = reading.reasoning.get(place);
    reading.reasoning.delete(place);
    if (reasoning === undefined) return;
    const { encrypted } = stateOf(item);
    for (const [summary, part] of reasoning.parts)
      if (summary >= reasoning.from) part.state(openai(reasoning.id, encrypted));
  }
}

function startSummary(reading: Reading, value: WireEvent): void {
  const reasoning = reading.reasoning.get(placeOf(value));
  const summary = value["summary_index"];
  if (reasoning === undefined || typeof summary !== "number" || summary <= 0) return;
  reasoning.from = summary;
  openSummary(reading, reasoning, summary);
}

function openSummary(reading: Reading, reasoning: Reasoning, summary: number): ThinkingSink {
  const part = reading.answer.thinking();
  part.state(openai(reasoning.id, reasoning.encrypted));
  reasoning.parts.set(summary, part);
  return part;
}

/** Of an item that was not announced, too. */
function summaryOf(reading: Reading, place: unknown, summary: number): ThinkingSink {
  const reasoning = reading.reasoning.get(place) ?? { id: null, encrypted: null, parts: new Map(), from: 0 };
  reading.reasoning.set(place, reasoning);
  return reasoning.parts.get(summary) ?? openSummary(reading, reasoning, summary);
}

function stateOf(item: WireEvent): { readonly id: Json; readonly encrypted: Json } {
  const text = (value: unknown): Json => (typeof value === "string" ? value : null);
  return { id: text(item["id"]), encrypted: text(item["encrypted_content"]) };
}

function openai(itemId: Json, reasoningEncryptedContent: Json): State {
  return { openai: { itemId, reasoningEncryptedContent } };
}

function nameOf(item: WireEvent): string {
  return typeof item["name"] === "string" ? item["name"] : "";
}

function finish(reading: Reading, response: WireEvent): void {
  // Everything may come in the last event only.
  if (!reading.said) for (const [place, item] of list(response["output"]).entries()) wholeItem(reading, place, item);
  flush(reading);
  reading.finished = true;
  const reason = asRecord(response["incomplete_details"])?.["reason"];
  reading.answer.finish(endingOf(reading, reason), tokensOf(asRecord(response["usage"])));
}

function endingOf({ called, refused }: Reading, reason: unknown): Ending {
  if (reason === "max_output_tokens") return "length";
  if (reason === "content_filter") return "refusal";
  if (called) return "tool-calls";
  return typeof reason === "string" ? "other" : refused ? "refusal" : "stop";
}

function wholeItem(reading: Reading, place: number, item: WireEvent): void {
  startItem(reading, place, item);
  for (const part of list(item["content"])) {
    if (item["type"] !== "message") break;
    if (part["type"] === "refusal") takeDelta(reading, "refusal", { output_index: place, delta: part["refusal"] });
    else takeDelta(reading, "text", { output_index: place, delta: part["text"] });
  }
  if (item["type"] === "function_call")
    takeDelta(reading, "arguments", { output_index: place, delta: item["arguments"] });
  flush(reading);
  endItem(reading, place, item);
}

function list(value: unknown): readonly WireEvent[] {
  return Array.isArray(value) ? value.map(asRecord).filter((item): item is WireEvent => item !== undefined) : [];
}

function tokensOf(usage: WireEvent | undefined): TokenReport {
  const count = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
  return {
    inputTokens: {
      total: count(usage?.["input_tokens"]),
      cacheRead: count(asRecord(usage?.["input_tokens_details"])?.["cached_tokens"]),
    },
    outputTokens: { total: count(usage?.["output_tokens"]) },
  };
}
