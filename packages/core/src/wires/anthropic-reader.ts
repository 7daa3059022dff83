// Answers of Anthropic Messages, and of the servers that imitate it.
import type { RuntimeError } from "../lib/errors/errors.ts";
import { asRecord } from "../model/failure-text.ts";
import type { Answer, CallSink, ThinkingSink } from "../model/wire/answer.ts";
import type { Ending } from "../model/wire/finished-parts.ts";
import type { WireEvent, WireReader } from "../model/wire/wire.ts";

const FINISH: Readonly<Record<string, Ending>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
};
/** Where the text of a delta stands; deltas of one block are joined. */
const TEXT_FIELDS: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
};
/** Of the usage, with what they are called here. */
const COUNTS = {
  input_tokens: "input",
  output_tokens: "output",
  cache_creation_input_tokens: "written",
  cache_read_input_tokens: "read",
} as const;

/** Content we ask for. Blocks of server tools and of the future are passed over, with their deltas. */
type Block =
  | { readonly type: "text" }
  | { readonly type: "thinking"; readonly sink: ThinkingSink }
  | { readonly type: "redacted_thinking" }
  | { readonly type: "tool_use"; readonly sink: CallSink };
interface Reading {
  readonly answer: Answer;
  readonly failed: (status: number, body: WireEvent) => RuntimeError;
  readonly open: Map<number, Block>;
  readonly counts: { input: number; output: number; written: number; read: number };
  started: boolean;
  ending: Ending;
  closed: boolean;
  held: { readonly block: Block; readonly type: string; text: string } | undefined;
}

export function readAnthropic(answer: Answer, failed: Reading["failed"]): WireReader {
  const reading: Reading = {
    answer,
    failed,
    open: new Map(),
    counts: { input: 0, output: 0, written: 0, read: 0 },
    started: false,
    ending: undefined,
    closed: false,
    held: undefined,
  };
  return {
    event: (value) => takeEvent(reading, value),
    body: (body) => takeBody(reading, body),
    marker: () => undefined,
    flush: () => flush(reading),
    end: () => end(reading),
    get finished() {
      return reading.ending !== undefined;
    },
    get closed() {
      return reading.closed;
    },
  };
}

function takeEvent(reading: Reading, value: WireEvent): void {
  const index = typeof value["index"] === "number" ? value["index"] : 0;
  switch (value["type"]) {
    case "message_start":
      if (reading.started) return; // Some proxies send it twice.
      reading.started = true;
      count(reading, asRecord(value["message"])?.["usage"]);
      return;
    case "content_block_start":
      startBlock(reading, index, asRecord(value["content_block"]) ?? {});
      return;
    case "content_block_delta":
      takeDelta(reading, index, asRecord(value["delta"]) ?? {});
      return;
    case "content_block_stop":
      stopBlock(reading, index);
      return;
    case "message_delta": {
      flush(reading);
      const reason = asRecord(value["delta"])?.["stop_reason"];
      if (typeof reason === "string" && reason !== "")
        reading.ending = Object.hasOwn(FINISH, reason) ? FINISH[reason] : "other";
      count(reading, value["usage"]);
      return;
    }
    case "message_stop":
      flush(reading);
      if (reading.ending !== undefined) end(reading);
      return;
    case "error":
      throw reading.failed(200, value);
    case "ping":
      return;
    default:
      if (value["type"] === undefined && value["error"] !== undefined) throw reading.failed(200, value);
  }
}

function startBlock(reading: Reading, index: number, from: WireEvent): void {
  if (reading.open.has(index)) return;
  const { answer } = reading;
  flush(reading);
  const block = blockOf(answer, from);
  if (block === undefined) return;
  reading.open.set(index, block);
  if (block.type === "text") answer.breakText();
  const input = asRecord(from["input"]);
  if (block.type === "tool_use" && input !== undefined && Object.keys(input).length > 0)
    block.sink.add(JSON.stringify(input));
}

function blockOf(answer: Answer, from: WireEvent): Block | undefined {
  switch (from["type"]) {
    case "text":
      return { type: "text" };
    case "thinking":
      return { type: "thinking", sink: answer.thinking() };
    case "redacted_thinking":
      answer.thinking().state({ anthropic: { redactedData: String(from["data"] ?? "") } });
      return { type: "redacted_thinking" };
    case "tool_use":
      return { type: "tool_use", sink: answer.call(typeof from["name"] === "string" ? from["name"] : "") };
    default:
      return undefined;
  }
}

function takeDelta(reading: Reading, index: number, delta: WireEvent): void {
  const type = String(delta["type"]);
  // A delta whose block was never opened: text only, the rest has no meaning alone.
  if (!reading.open.has(index) && type === "text_delta") startBlock(reading, index, { type: "text" });
  const block = reading.open.get(index);
  if (block === undefined) return;
  if (type === "signature_delta") {
    flush(reading);
    const { signature } = delta;
    if (block.type === "thinking" && typeof signature === "string") block.sink.state({ anthropic: { signature } });
    return;
  }
  const field = Object.hasOwn(TEXT_FIELDS, type) ? TEXT_FIELDS[type] : undefined;
  const text = field === undefined ? undefined : delta[field];
  if (typeof text !== "string" || text === "") return;
  if (reading.held?.block === block && reading.held.type === type) reading.held.text += text;
  else {
    flush(reading);
    reading.held = { block, type, text };
  }
}

function flush(reading: Reading): void {
  if (reading.held === undefined) return;
  const { block, type, text } = reading.held;
  reading.held = undefined;
  if (type === "text_delta") reading.answer.text(text);
  else if (type === "thinking_delta" && block.type === "thinking") block.sink.add(text);
  else if (type === "input_json_delta" && block.type === "tool_use") block.sink.add(text);
}

function stopBlock(reading: Reading, index: number): void {
  const block = reading.open.get(index);
  if (block === undefined) return;
  flush(reading);
  reading.open.delete(index);
  if (block.type === "tool_use") block.sink.end(undefined);
}

function takeBody(reading: Reading, body: WireEvent): void {
  if (body["type"] !== "message") {
    takeEvent(reading, body);
    return;
  }
  takeEvent(reading, { type: "message_start", message: body });
  const content: readonly unknown[] = Array.isArray(body["content"]) ? body["content"] : [];
  for (const [index, item] of content.entries()) wholeBlock(reading, index, asRecord(item) ?? {});
  takeEvent(reading, { type: "message_delta", delta: { stop_reason: body["stop_reason"] }, usage: body["usage"] });
  takeEvent(reading, { type: "message_stop" });
}

/** A block of an answer that came whole, as the events it would have been. */
function wholeBlock(reading: Reading, index: number, block: WireEvent): void {
  const { text, thinking, signature } = block;
  startBlock(reading, index, block);
  if (typeof text === "string") takeDelta(reading, index, { type: "text_delta", text });
  if (typeof thinking === "string") takeDelta(reading, index, { type: "thinking_delta", thinking });
  if (typeof signature === "string") takeDelta(reading, index, { type: "signature_delta", signature });
  stopBlock(reading, index);
}

function end(reading: Reading): void {
  if (reading.closed) return;
  flush(reading);
  for (const index of reading.open.keys()) stopBlock(reading, index);
  const { input, output, written, read } = reading.counts;
  reading.answer.finish(reading.ending, {
    inputTokens: { total: input + written + read, cacheRead: read, cacheWrite: written },
    outputTokens: { total: output },
  });
  reading.closed = true;
}

/** Later numbers count; what is no number is not told. */
function count(reading: Reading, value: unknown): void {
  const usage = asRecord(value);
  for (const [name, field] of Object.entries(COUNTS)) {
    const tokens = usage?.[name];
    if (typeof tokens === "number" && Number.isFinite(tokens)) reading.counts[field] = tokens;
  }
}
