/** The events of a turn → the object of `/v1/responses` and the events of its stream. Pure. */
import type { ErrorInfo, JsonObject, Usage } from "@margay/core";
import type { AnswerEvent } from "../reply/events.ts";
import type { ClientCall } from "../client-tools.ts";

export interface ResponseFrame {
  readonly id: string;
  /** Seconds. */
  readonly created: number;
  readonly model: string;
  readonly echo: JsonObject;
  /** `gateway.api.text`: with `final` the last round alone is an item, and comes whole. */
  readonly rounds: "all" | "final";
}

export type ResponseStatus = "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";

export interface ResponseFold {
  /** The first events of a stream. */
  open(): readonly StreamEvent[];
  push(event: AnswerEvent): readonly StreamEvent[];
  /** As it stands. */
  object(): object;
  readonly status: ResponseStatus;
}

export interface StreamEvent {
  readonly type: string;
  readonly sequence_number: number;
}

interface TextItem {
  readonly type: "message";
  readonly round: number;
  readonly text: string;
  readonly done: boolean;
}
interface CallItem {
  readonly type: "function_call";
  readonly call: ClientCall;
}
type Item = TextItem | CallItem;

/** @param waiting the status until the turn begins. */
export function createResponseFold(frame: ResponseFrame, waiting: ResponseStatus = "in_progress"): ResponseFold {
  let status = waiting;
  let items: readonly Item[] = [];
  let usage: Usage | undefined;
  let error: ErrorInfo | undefined;
  let reason: string | undefined;
  let sequence = 0;

  const event = (type: string, rest: object): StreamEvent => ({ type, sequence_number: sequence++, ...rest });
  const itemId = ({ round }: TextItem): string => `msg_${frame.id.replace(/^resp_/, "")}_${round}`;
  const shown = (item: Item): object => (item.type === "message" ? message(item) : callObject(item.call));
  const message = (item: TextItem): object => ({
    id: itemId(item),
    type: "message",
    role: "assistant",
    status: item.done ? (status === "incomplete" && item === items.at(-1) ? "incomplete" : "completed") : "in_progress",
    content: item.text === "" && !item.done ? [] : [textPart(item.text)],
  });
  const place = (item: TextItem): object => ({
    item_id: itemId(item),
    output_index: items.indexOf(item),
    content_index: 0,
  });
  const object = (): object => ({
    ...frame.echo,
    id: frame.id,
    object: "response",
    created_at: frame.created,
    status,
    error: error === undefined ? null : { code: errorCode(error), message: error.message },
    incomplete_details: reason === undefined ? null : { reason },
    model: frame.model,
    output: items.map(shown),
    text: { format: { type: "text" } },
    usage: usage === undefined ? null : usageObject(usage),
  });

  const begin = (round: number): readonly StreamEvent[] => {
    const item: TextItem = { type: "message", round, text: "", done: false };
    items = [...items, item];
    return [
      event("response.output_item.added", { output_index: items.length - 1, item: message(item) }),
      event("response.content_part.added", { ...place(item), part: textPart("") }),
    ];
  };
  const say = (text: string): readonly StreamEvent[] => {
    const last = items.at(-1);
    if (last?.type !== "message") return [];
    const item = { ...last, text: last.text + text };
    items = [...items.slice(0, -1), item];
    return [event("response.output_text.delta", { ...place(item), delta: text, logprobs: [] })];
  };
  const finish = (): readonly StreamEvent[] => {
    const last = items.at(-1);
    if (last?.type !== "message" || last.done) return [];
    const item = { ...last, done: true };
    items = [...items.slice(0, -1), item];
    return [
      event("response.output_text.done", { ...place(item), text: item.text, logprobs: [] }),
      event("response.content_part.done", { ...place(item), part: textPart(item.text) }),
      event("response.output_item.done", { output_index: items.length - 1, item: message(item) }),
    ];
  };
  const calling = (call: ClientCall): readonly StreamEvent[] => {
    items = [...items, { type: "function_call", call }];
    const where = { output_index: items.length - 1 };
    const id = { item_id: callItemId(call), ...where };
    return [
      event("response.output_item.added", {
        ...where,
        item: { ...callObject(call), arguments: "", status: "in_progress" },
      }),
      event("response.function_call_arguments.delta", { ...id, delta: call.arguments }),
      event("response.function_call_arguments.done", { ...id, name: call.name, arguments: call.arguments }),
      event("response.output_item.done", { ...where, item: callObject(call) }),
    ];
  };
  let held = "";
  let heldRound = -1;
  const text = (round: number, delta: string): readonly StreamEvent[] => {
    if (frame.rounds === "final") {
      held = round === heldRound ? held + delta : delta;
      heldRound = round;
      return [];
    }
    const last = items.at(-1);
    if (last?.type === "message" && last.round === round && !last.done) return say(delta);
    return [...finish(), ...begin(round), ...say(delta)];
  };

  return {
    open: () => [
      event("response.created", { response: object() }),
      event("response.in_progress", { response: object() }),
    ],
    push: (next) => {
      if (next.type === "started") status = "in_progress";
      if (next.type === "text") return text(next.round, next.text);
      if (next.type === "restarted") {
        items = items.filter((item) => item.type !== "message" || item.round !== next.round);
        held = "";
      }
      if (next.type !== "ended") return [];
      const ready = held === "" ? [] : [...begin(heldRound), ...say(held)];
      ({ usage, error } = next);
      reason = REASONS[next.finish];
      status = STATUSES[next.finish];
      // With the status of the end: an item that was cut short is announced as what it is in the whole object.
      const said = [...ready, ...finish(), ...(next.calls ?? []).flatMap(calling)];
      return [...said, event(`response.${status === "cancelled" ? "incomplete" : status}`, { response: object() })];
    },
    object,
    get status() {
      return status;
    },
  };
}

const STATUSES = {
  stop: "completed",
  calls: "completed",
  length: "incomplete",
  refused: "incomplete",
  cancelled: "cancelled",
  failed: "failed",
} as const;

const REASONS: Readonly<Record<string, string>> = { length: "max_output_tokens", refused: "content_filter" };

function callItemId({ id }: ClientCall): string {
  return id.replace(/^call_/, "fc_");
}

function callObject(call: ClientCall): object {
  const { id, name, arguments: args } = call;
  return { id: callItemId(call), type: "function_call", call_id: id, name, arguments: args, status: "completed" };
}

function textPart(text: string): object {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function errorCode({ code }: ErrorInfo): string {
  return code === "provider.rate-limited" ? "rate_limit_exceeded" : "server_error";
}

function usageObject({ input, output, cacheRead }: Usage): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
