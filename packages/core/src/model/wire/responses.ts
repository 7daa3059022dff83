// OpenAI Responses.
import { asRecord } from "../failure-text.ts";
import { NAMELESS } from "./wire.ts";
import type { Wire, WireEvent } from "./wire.ts";

/** Events whose `delta` texts may be joined while the item stays the same. */
const JOINED: ReadonlySet<unknown> = new Set([
  "response.output_text.delta",
  "response.refusal.delta",
  "response.reasoning_summary_text.delta",
  "response.function_call_arguments.delta",
]);
/** Items we ask for; those of server tools are passed over. */
const ITEMS: ReadonlySet<unknown> = new Set(["message", "reasoning", "function_call"]);
const PASSED: ReadonlySet<unknown> = new Set([
  "response.reasoning_summary_part.added",
  "response.reasoning_summary_part.done",
]);

export const responsesWire: Wire = (output) => {
  let finished = false;
  let said = false;
  let held: { readonly event: WireEvent; text: string } | undefined;
  const flush = (): void => {
    if (held === undefined) return;
    const { event, text } = held;
    held = undefined;
    output.send({ ...event, delta: text });
  };
  const takeItem = (value: WireEvent): void => {
    const item = asRecord(value["item"]);
    if (item === undefined || !ITEMS.has(item["type"])) return;
    if (item["type"] === "function_call") said = true;
    output.send({ ...value, item: strictItem(item) });
  };
  const finish = (type: string, response: WireEvent): void => {
    // Everything may come in the last event only.
    if (!said) for (const [index, item] of list(response["output"]).entries()) wholeItem(index, item, event);
    flush();
    finished = true;
    const reason = asRecord(response["incomplete_details"])?.["reason"];
    output.send({
      type,
      sequence_number: 0,
      response: {
        ...(typeof reason === "string" && { incomplete_details: { reason } }),
        usage: strictUsage(asRecord(response["usage"])),
      },
    });
  };
  const event = (value: WireEvent): void => {
    const type = value["type"];
    if (JOINED.has(type)) {
      const text = value["delta"];
      if (typeof text !== "string" || text === "") return;
      if (type !== "response.reasoning_summary_text.delta") said = true;
      const same =
        held !== undefined &&
        held.event["type"] === type &&
        held.event["item_id"] === value["item_id"] &&
        held.event["output_index"] === value["output_index"] &&
        held.event["summary_index"] === value["summary_index"];
      if (same && held !== undefined) held.text += text;
      else {
        flush();
        held = { event: value, text };
      }
      return;
    }
    flush();
    const response = asRecord(value["response"]);
    if (
      type === "error" ||
      type === "response.failed" ||
      response?.["status"] === "failed" ||
      (type === undefined && value["error"] != null)
    )
      throw output.failed(200, response ?? value);
    if (type === "response.output_item.added" || type === "response.output_item.done") takeItem(value);
    else if ((type === "response.completed" || type === "response.incomplete") && response !== undefined)
      finish(type, response);
    else if (PASSED.has(type)) output.send(value);
  };
  return {
    event,
    body: (body) => {
      if (body["object"] !== "response" && !Array.isArray(body["output"])) event(body);
      else if (body["status"] === "failed" || asRecord(body["error"]) !== undefined) throw output.failed(200, body);
      else finish(body["status"] === "incomplete" ? "response.incomplete" : "response.completed", body);
    },
    marker: () => undefined,
    flush,
    end: flush,
    get finished() {
      return finished;
    },
    get closed() {
      return finished;
    },
    failure: (text) => ({ type: "error", sequence_number: 0, code: "server_error", message: text }),
  };
};

function strictItem(item: WireEvent): WireEvent {
  if (item["type"] !== "function_call") return item;
  const name = typeof item["name"] === "string" && item["name"].trim() !== "" ? item["name"] : NAMELESS;
  const id = typeof item["id"] === "string" ? item["id"] : "f";
  return {
    ...item,
    id,
    name,
    call_id: typeof item["call_id"] === "string" ? item["call_id"] : id,
    arguments: typeof item["arguments"] === "string" ? item["arguments"] : "",
    status: item["status"] ?? "completed",
  };
}

/** An item that came whole, as the events it would have been. */
function wholeItem(index: number, item: WireEvent, event: (value: WireEvent) => void): void {
  const id = typeof item["id"] === "string" ? item["id"] : `item-${index}`;
  const place = { output_index: index, sequence_number: 0 };
  event({
    type: "response.output_item.added",
    ...place,
    item: {
      ...item,
      id,
      ...(item["type"] === "function_call" && { arguments: "" }),
      ...(item["type"] === "message" && { content: [] }),
    },
  });
  if (item["type"] === "message")
    for (const part of list(item["content"])) {
      if (part["type"] === "refusal")
        event({ type: "response.refusal.delta", ...place, item_id: id, content_index: 0, delta: part["refusal"] });
      else
        event({
          type: "response.output_text.delta",
          ...place,
          item_id: id,
          content_index: 0,
          logprobs: [],
          delta: part["text"],
        });
    }
  if (item["type"] === "function_call")
    event({ type: "response.function_call_arguments.delta", ...place, item_id: id, delta: item["arguments"] });
  event({ type: "response.output_item.done", ...place, item: { ...item, id } });
}

function list(value: unknown): readonly WireEvent[] {
  return Array.isArray(value) ? value.map(asRecord).filter((item): item is WireEvent => item !== undefined) : [];
}

/** Zero input means "not reported" to the adapter; the strict reader requires a number. */
function strictUsage(usage: WireEvent | undefined): WireEvent {
  const count = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
  return {
    input_tokens: count(usage?.["input_tokens"]),
    output_tokens: count(usage?.["output_tokens"]),
    input_tokens_details: { cached_tokens: count(asRecord(usage?.["input_tokens_details"])?.["cached_tokens"]) },
    output_tokens_details: {
      reasoning_tokens: count(asRecord(usage?.["output_tokens_details"])?.["reasoning_tokens"]),
    },
  };
}
