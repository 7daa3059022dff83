// Anthropic Messages, and the servers that imitate it.
import { asRecord } from "../failure-text.ts";
import { NAMELESS } from "./wire.ts";
import type { Wire, WireEvent } from "./wire.ts";

/** Content we ask for. Blocks of server tools and of the future are passed over, with their deltas. */
const BLOCKS: ReadonlySet<unknown> = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);
/** Delta type → field with its text; these are joined. */
const TEXT_FIELDS: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
};

export const anthropicWire: Wire = (output) => {
  let started = false;
  let finished = false;
  let closed = false;
  let calls = 0;
  const open = new Set<number>();
  let held: { readonly index: number; readonly type: string; readonly field: string; text: string } | undefined;
  const flush = (): void => {
    if (held === undefined) return;
    const { index, type, field, text } = held;
    held = undefined;
    output.send({ type: "content_block_delta", index, delta: { type, [field]: text } });
  };
  const stopBlock = (index: number): void => {
    if (!open.delete(index)) return;
    flush();
    output.send({ type: "content_block_stop", index });
  };
  const startBlock = (index: number, block: WireEvent): void => {
    if (!BLOCKS.has(block["type"]) || open.has(index)) return;
    flush();
    open.add(index);
    const strict = strictBlock(block, calls);
    if (block["type"] === "tool_use") calls++;
    output.send({ type: "content_block_start", index, content_block: strict });
    const input = asRecord(block["input"]);
    if (block["type"] === "tool_use" && input !== undefined && Object.keys(input).length > 0)
      output.send({
        type: "content_block_delta",
        index,
        delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
      });
  };
  const takeDelta = (index: number, delta: WireEvent): void => {
    if (!open.has(index)) {
      // A delta whose block was never opened: text only, the rest has no meaning alone.
      if (delta["type"] !== "text_delta") return;
      startBlock(index, { type: "text", text: "" });
    }
    const type = String(delta["type"]);
    const field = Object.hasOwn(TEXT_FIELDS, type) ? TEXT_FIELDS[type] : undefined;
    if (field === undefined) {
      if (type !== "signature_delta") return;
      flush();
      output.send({ type: "content_block_delta", index, delta });
      return;
    }
    const text = delta[field];
    if (typeof text !== "string" || text === "") return;
    if (held?.index === index && held.type === type) held.text += text;
    else {
      flush();
      held = { index, type, field, text };
    }
  };
  const event = (value: WireEvent): void => {
    const index = typeof value["index"] === "number" ? value["index"] : 0;
    switch (value["type"]) {
      case "message_start": {
        if (started) return; // Some proxies send it twice.
        started = true;
        const message = asRecord(value["message"]);
        output.send({
          type: "message_start",
          message: {
            id: "m",
            type: "message",
            role: "assistant",
            model: "m",
            content: [],
            usage: strictUsage(message?.["usage"]),
          },
        });
        return;
      }
      case "content_block_start":
        startBlock(index, asRecord(value["content_block"]) ?? {});
        return;
      case "content_block_delta":
        takeDelta(index, asRecord(value["delta"]) ?? {});
        return;
      case "content_block_stop":
        stopBlock(index);
        return;
      case "message_delta": {
        flush();
        const reason = asRecord(value["delta"])?.["stop_reason"];
        if (typeof reason === "string" && reason !== "") finished = true;
        output.send({
          type: "message_delta",
          delta: { stop_reason: typeof reason === "string" ? reason : null, stop_sequence: null },
          usage: strictUsage(value["usage"], false),
        });
        return;
      }
      case "message_stop":
        flush();
        closed = finished;
        if (closed) output.send({ type: "message_stop" });
        return;
      case "error":
        throw output.failed(200, value);
      case "ping":
        return;
      default:
        if (value["type"] === undefined && value["error"] !== undefined) throw output.failed(200, value);
    }
  };
  return {
    event,
    body: (body) => {
      if (body["type"] !== "message") {
        event(body);
        return;
      }
      event({ type: "message_start", message: body });
      const content = Array.isArray(body["content"]) ? body["content"] : [];
      for (const [index, item] of content.entries()) wholeBlock(index, asRecord(item) ?? {}, event);
      event({ type: "message_delta", delta: { stop_reason: body["stop_reason"] }, usage: body["usage"] });
      event({ type: "message_stop" });
    },
    marker: () => undefined,
    flush,
    end: () => {
      flush();
      for (const index of [...open]) stopBlock(index);
      if (!closed) output.send({ type: "message_stop" });
      closed = true;
    },
    get finished() {
      return finished;
    },
    get closed() {
      return closed;
    },
    failure: (text) => ({ type: "error", error: { type: "api_error", message: text } }),
  };
};

function strictBlock(block: WireEvent, call: number): WireEvent {
  switch (block["type"]) {
    case "text":
      return { type: "text", text: typeof block["text"] === "string" ? block["text"] : "" };
    case "thinking":
      return {
        type: "thinking",
        thinking: typeof block["thinking"] === "string" ? block["thinking"] : "",
        ...(typeof block["signature"] === "string" && block["signature"] !== "" && { signature: block["signature"] }),
      };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: String(block["data"] ?? "") };
    default: {
      const name = typeof block["name"] === "string" && block["name"].trim() !== "" ? block["name"] : NAMELESS;
      return { type: "tool_use", id: `c${call}`, name, input: {} };
    }
  }
}

/** A block of an answer that came whole, as the events it would have been. */
function wholeBlock(index: number, block: WireEvent, event: (value: WireEvent) => void): void {
  const { text, thinking, signature, ...rest } = block;
  event({ type: "content_block_start", index, content_block: rest });
  if (typeof text === "string") event({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
  if (typeof thinking === "string")
    event({ type: "content_block_delta", index, delta: { type: "thinking_delta", thinking } });
  if (typeof signature === "string")
    event({ type: "content_block_delta", index, delta: { type: "signature_delta", signature } });
  event({ type: "content_block_stop", index });
}

function strictUsage(value: unknown, first = true): WireEvent {
  const usage = asRecord(value);
  const counts: Record<string, number> = first ? { input_tokens: 0, output_tokens: 0 } : { output_tokens: 0 };
  for (const name of ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]) {
    const count = usage?.[name];
    if (typeof count === "number" && Number.isFinite(count)) counts[name] = count;
  }
  return counts;
}
