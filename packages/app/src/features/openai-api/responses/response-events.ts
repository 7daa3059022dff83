/** The events of a turn → the object of `/v1/responses` and the events of its stream. Pure. */
import type { ErrorInfo, JsonObject, Usage } from "@margay/core";
import { byKind, type KindTable } from "@margay/core/internal";
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

/** A response as far as it has come. */
interface ResponseView {
  readonly frame: ResponseFrame;
  readonly status: ResponseStatus;
  readonly items: readonly Item[];
  readonly usage: Usage | undefined;
  readonly error: ErrorInfo | undefined;
  readonly reason: string | undefined;
  /** The number of the next event. */
  readonly sequence: number;
  /** With `final`: the text of the last round, and which it is. */
  readonly held: string;
  readonly heldRound: number;
}

/** @param waiting the status until the turn begins. */
export function createResponseFold(frame: ResponseFrame, waiting: ResponseStatus = "in_progress"): ResponseFold {
  let view: ResponseView = {
    ...{ frame, status: waiting, items: [], usage: undefined, error: undefined, reason: undefined },
    ...{ sequence: 0, held: "", heldRound: -1 },
  };
  const take = (change: (draft: Draft) => void): readonly StreamEvent[] => {
    const draft: Draft = { view, events: [] };
    change(draft);
    ({ view } = draft);
    return draft.events;
  };
  return {
    open: () =>
      take((draft) => {
        tell(draft, "response.created", { response: objectOf(draft.view) });
        tell(draft, "response.in_progress", { response: objectOf(draft.view) });
      }),
    push: (event) => take((draft) => byKind(EVENTS, event, draft)),
    object: () => objectOf(view),
    get status() {
      return view.status;
    },
  };
}

/** The view while one event is told, and what is told of it. */
interface Draft {
  view: ResponseView;
  readonly events: StreamEvent[];
}

const EVENTS: KindTable<AnswerEvent, [draft: Draft], void> = {
  started: (_event, draft) => set(draft, { status: "in_progress" }),
  text: ({ round, text }, draft) => sayIn(draft, round, text),
  thinking: () => {},
  tool: () => {},
  restarted: ({ round }, draft) => {
    const items = draft.view.items.filter((item) => item.type !== "message" || item.round !== round);
    set(draft, { items, held: "" });
  },
  ended: ({ finish: why, usage, error, calls = [] }, draft) => {
    const { held, heldRound } = draft.view;
    if (held !== "") {
      begin(draft, heldRound);
      say(draft, held);
    }
    // With the status of the end: an item that was cut short is announced as what it is in the whole object.
    const status = STATUSES[why];
    set(draft, { usage, error, reason: REASONS[why], status });
    finish(draft);
    for (const call of calls) callOut(draft, call);
    tell(draft, `response.${status === "cancelled" ? "incomplete" : status}`, { response: objectOf(draft.view) });
  },
};

function set(draft: Draft, change: Partial<ResponseView>): void {
  draft.view = { ...draft.view, ...change };
}

function tell(draft: Draft, type: string, rest: object): void {
  const { sequence } = draft.view;
  draft.events.push({ type, sequence_number: sequence, ...rest });
  set(draft, { sequence: sequence + 1 });
}

function begin(draft: Draft, round: number): void {
  const item: TextItem = { type: "message", round, text: "", done: false };
  set(draft, { items: [...draft.view.items, item] });
  const { view } = draft;
  tell(draft, "response.output_item.added", { output_index: view.items.length - 1, item: messageOf(view, item) });
  tell(draft, "response.content_part.added", { ...placeOf(view, item), part: textPart("") });
}

function sayIn(draft: Draft, round: number, text: string): void {
  const { frame, held, heldRound, items } = draft.view;
  if (frame.rounds === "final") return set(draft, { held: round === heldRound ? held + text : text, heldRound: round });
  const last = items.at(-1);
  if (last?.type !== "message" || last.round !== round || last.done) {
    finish(draft);
    begin(draft, round);
  }
  say(draft, text);
}

function say(draft: Draft, text: string): void {
  const { items } = draft.view;
  const last = items.at(-1);
  if (last?.type !== "message") return;
  const item = { ...last, text: last.text + text };
  set(draft, { items: [...items.slice(0, -1), item] });
  tell(draft, "response.output_text.delta", { ...placeOf(draft.view, item), delta: text, logprobs: [] });
}

function finish(draft: Draft): void {
  const { items } = draft.view;
  const last = items.at(-1);
  if (last?.type !== "message" || last.done) return;
  const item = { ...last, done: true };
  set(draft, { items: [...items.slice(0, -1), item] });
  const { view } = draft;
  tell(draft, "response.output_text.done", { ...placeOf(view, item), text: item.text, logprobs: [] });
  tell(draft, "response.content_part.done", { ...placeOf(view, item), part: textPart(item.text) });
  tell(draft, "response.output_item.done", { output_index: view.items.length - 1, item: messageOf(view, item) });
}

function callOut(draft: Draft, call: ClientCall): void {
  set(draft, { items: [...draft.view.items, { type: "function_call", call }] });
  const where = { output_index: draft.view.items.length - 1 };
  const id = { item_id: callItemId(call), ...where };
  const item = callObject(call);
  tell(draft, "response.output_item.added", { ...where, item: { ...item, arguments: "", status: "in_progress" } });
  tell(draft, "response.function_call_arguments.delta", { ...id, delta: call.arguments });
  tell(draft, "response.function_call_arguments.done", { ...id, name: call.name, arguments: call.arguments });
  tell(draft, "response.output_item.done", { ...where, item });
}

function objectOf(view: ResponseView): object {
  const { frame, status, error, reason, items, usage } = view;
  return {
    ...frame.echo,
    id: frame.id,
    object: "response",
    created_at: frame.created,
    status,
    error: error === undefined ? null : { code: errorCode(error), message: error.message },
    incomplete_details: reason === undefined ? null : { reason },
    model: frame.model,
    output: items.map((item) => (item.type === "message" ? messageOf(view, item) : callObject(item.call))),
    text: { format: { type: "text" } },
    usage: usage === undefined ? null : usageObject(usage),
  };
}

function messageOf(view: ResponseView, item: TextItem): object {
  const { status, items } = view;
  return {
    id: itemId(view, item),
    type: "message",
    role: "assistant",
    status: item.done ? (status === "incomplete" && item === items.at(-1) ? "incomplete" : "completed") : "in_progress",
    content: item.text === "" && !item.done ? [] : [textPart(item.text)],
  };
}

function placeOf(view: ResponseView, item: TextItem): object {
  return { item_id: itemId(view, item), output_index: view.items.indexOf(item), content_index: 0 };
}

function itemId({ frame }: ResponseView, { round }: TextItem): string {
  return `msg_${frame.id.replace(/^resp_/, "")}_${round}`;
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
