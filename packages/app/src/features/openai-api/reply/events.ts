/** The events of one turn as a client of `/v1` sees them: text by round, tools, one end. Pure over agent events. */
import { type AgentEvent, type ErrorInfo, type ToolCallPart, type Usage } from "@margay/core";
import {
  addUsage,
  isOfTurn,
  messageTurn,
  NO_USAGE,
  type CallId,
  type Finish,
  type MessageTurn,
  type TurnId,
} from "@margay/core/internal";
import { wireCallId, type ClientCall } from "../client-tools.ts";
import { createRedactedText } from "./redacted-text.ts";
import { createRounds } from "./rounds.ts";

export type AnswerEvent =
  | { readonly type: "started"; readonly turn: TurnId }
  /** `round` counts the texts of a turn from 0; the pieces of a continued answer are one. */
  | { readonly type: "text"; readonly round: number; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** The model starts this round again. `shown`: text of it has been yielded. */
  | { readonly type: "restarted"; readonly round: number; readonly shown: boolean }
  | {
      readonly type: "tool";
      readonly call: CallId;
      readonly name: string;
      readonly status: string;
      readonly ms?: number;
    }
  | AnswerEnd;

export interface AnswerEnd {
  readonly type: "ended";
  /** `length`: the token limit or our limit of calls. `refused`: the provider's safety stop. */
  readonly finish: "stop" | "length" | "refused" | "cancelled" | "failed" | "calls";
  /** With `calls`: what the client has to run. The turn is open. */
  readonly calls?: readonly ClientCall[];
  readonly error?: ErrorInfo;
  readonly usage: Usage;
}

/** Which part of a turn: from the message with this key on, or from here on when it goes on with results of the client. */
export type AnswerStart = { readonly key: string; readonly resumed?: true } | { readonly turn: TurnId };

/** Ends with exactly one `ended`, or not at all when `events` ends before the turn does. */
export async function* answerEvents(
  events: AsyncIterable<AgentEvent>,
  start: AnswerStart,
  redact: (text: string) => string,
): AsyncGenerator<AnswerEvent> {
  let at: MessageTurn =
    "turn" in start
      ? { status: "open", message: "", turn: start.turn, toolsUsed: [] }
      : { status: "unseen", key: start.key };
  let finish: Finish | undefined;
  let usage = NO_USAGE;
  const rounds = createRounds(redact);
  const thoughts = createRedactedText(redact);
  const calls = createClientCalls();
  if ("turn" in at) yield { type: "started", turn: at.turn };
  for await (const event of events) {
    const before = at;
    at = messageTurn(before, event);
    if (at.status === "withdrawn") {
      yield { type: "ended", finish: "cancelled", usage };
      return;
    }
    if (!("turn" in at)) continue;
    const { turn } = at;
    if (!("turn" in before)) yield { type: "started", turn };
    if (!isOfTurn(at, event)) continue;
    if (event.type === "text.delta") yield* rounds.text(event.text);
    if (event.type === "thinking.delta") yield* thinking(thoughts.push(event.text));
    if (event.type === "text.restarted") yield rounds.restart();
    if (event.type === "model.responded") {
      yield* thinking(thoughts.end());
      ({ finish } = event.message);
      usage = addUsage(usage, event.message.usage);
      yield* rounds.end(textOf(event.message.parts), finish);
    }
    if (event.type === "tool.started") yield { type: "tool", call: event.call, name: event.name, status: "started" };
    if (event.type === "tool.finished") {
      const { callId, name, status } = event.message;
      yield { type: "tool", call: callId, name, status, ms: event.durationMs };
    }
    if (event.type === "turn.ended") {
      if (event.reason === "limit" && event.notice !== undefined) yield* rounds.end(event.notice, "stop");
      const end = endOf(event, finish);
      // What an earlier request has paid is not counted again.
      yield "turn" in start || start.resumed === true ? { ...end, usage } : end;
      return;
    }
    const waiting = calls.push(event);
    if (waiting.length === 0) continue;
    yield {
      type: "ended",
      finish: "calls",
      usage,
      calls: waiting.map((part) => ({
        id: wireCallId(turn, part.callId),
        name: part.name,
        arguments: redact(part.inputText ?? JSON.stringify(part.input)),
      })),
    };
    return;
  }
}

function thinking(text: string): readonly AnswerEvent[] {
  return text === "" ? [] : [{ type: "thinking", text }];
}

/** Knows when nothing is left to do but what the client has to. */
function createClientCalls(): { push(event: AgentEvent): readonly ToolCallPart[] } {
  const open = new Map<CallId, { readonly part: ToolCallPart; readonly deferred: boolean }>();
  return {
    push: (event) => {
      if (event.type === "model.responded") {
        open.clear();
        for (const part of event.message.parts)
          if (part.type === "tool-call") open.set(part.callId, { part, deferred: false });
      } else if (event.type === "call.deferred") {
        const known = open.get(event.call);
        if (known !== undefined) open.set(event.call, { ...known, deferred: true });
      } else if (event.type === "tool.finished") open.delete(event.message.callId);
      else return [];
      const left = [...open.values()];
      return left.every(({ deferred }) => deferred) ? left.map(({ part }) => part) : [];
    },
  };
}

function endOf(event: Extract<AgentEvent, { type: "turn.ended" }>, finish: Finish | undefined): AnswerEnd {
  const { usage, error } = event;
  switch (event.reason) {
    case "done":
      return { type: "ended", finish: finish === "length" ? "length" : "stop", usage };
    case "limit":
      return { type: "ended", finish: "length", usage };
    case "cancelled":
      return { type: "ended", finish: "cancelled", usage };
    case "failed":
    case "budget":
      if (error?.code === "model.refused") return { type: "ended", finish: "refused", usage };
      return { type: "ended", finish: "failed", usage, error: error ?? UNKNOWN };
  }
}

const UNKNOWN: ErrorInfo = { code: "internal.bug", message: "The turn ended for an unknown reason.", retryable: false };

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
}
