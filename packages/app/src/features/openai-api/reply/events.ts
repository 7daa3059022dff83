/** The events of one turn as a client of `/v1` sees them: text by round, tools, one end. Pure over agent events. */
import { type AgentEvent, type ErrorInfo, type ToolCallPart, type Usage } from "@margay/core";
import {
  addUsage,
  bySomeKind,
  type CallId,
  type Finish,
  isOfTurn,
  messageTurn,
  type MessageTurn,
  NO_USAGE,
  type SomeKinds,
  textOf,
  type TurnId,
} from "@margay/core/internal";
import { wireCallId, type ClientCall } from "../client-tools.ts";
import { createRedactedText, type RedactedText } from "./redacted-text.ts";
import { createRounds, type Rounds } from "./rounds.ts";

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
  const answer: Answer = {
    ...{ redact, finish: undefined, usage: NO_USAGE, open: new Map() },
    rounds: createRounds(redact),
    thoughts: createRedactedText(redact),
    // What an earlier request has paid is not counted again.
    own: "turn" in start || start.resumed === true,
  };
  if ("turn" in at) yield { type: "started", turn: at.turn };
  for await (const event of events) {
    const before = at;
    at = messageTurn(before, event);
    if (at.status === "withdrawn") {
      yield { type: "ended", finish: "cancelled", usage: answer.usage };
      return;
    }
    if (!("turn" in at)) continue;
    if (!("turn" in before)) yield { type: "started", turn: at.turn };
    if (!isOfTurn(at, event)) continue;
    for (const told of bySomeKind(EVENTS, event, answer) ?? []) {
      yield told;
      if (told.type === "ended") return;
    }
  }
}

/** What is known of an answer so far. */
interface Answer {
  readonly redact: (text: string) => string;
  readonly rounds: Rounds;
  readonly thoughts: RedactedText;
  readonly own: boolean;
  finish: Finish | undefined;
  usage: Usage;
  /** Calls without a result. */
  open: Map<CallId, { readonly part: ToolCallPart; readonly deferred: boolean }>;
}

/** Other events are not part of an answer. */
const EVENTS: SomeKinds<AgentEvent, [answer: Answer], readonly AnswerEvent[]> = {
  "text.delta": ({ text }, { rounds }) => rounds.text(text),
  "thinking.delta": ({ text }, { thoughts }) => thinking(thoughts.push(text)),
  "text.restarted": (_event, { rounds }) => [rounds.restart()],
  "model.responded": ({ turn, message: { parts, finish, usage } }, answer) => {
    answer.finish = finish;
    answer.usage = addUsage(answer.usage, usage);
    const called = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
    answer.open = new Map(called.map((part) => [part.callId, { part, deferred: false }]));
    const said = [...thinking(answer.thoughts.end()), ...answer.rounds.end(textOf(parts, ""), finish)];
    return [...said, ...waiting(turn, answer)];
  },
  "call.deferred": ({ turn, call }, answer) => {
    const known = answer.open.get(call);
    if (known !== undefined) answer.open.set(call, { ...known, deferred: true });
    return waiting(turn, answer);
  },
  "tool.started": ({ call, name }) => [{ type: "tool", call, name, status: "started" }],
  "tool.finished": ({ turn, message: { callId, name, status }, durationMs }, answer) => {
    answer.open.delete(callId);
    return [{ type: "tool", call: callId, name, status, ms: durationMs }, ...waiting(turn, answer)];
  },
  "turn.ended": (event, { rounds, finish, own, usage }) => {
    const notice = event.reason === "limit" && event.notice !== undefined ? rounds.end(event.notice, "stop") : [];
    const end = endOf(event, finish);
    return [...notice, own ? { ...end, usage } : end];
  },
};

function thinking(text: string): readonly AnswerEvent[] {
  return text === "" ? [] : [{ type: "thinking", text }];
}

/** The end of the answer when nothing is left to do but what the client has to. */
function waiting(turn: TurnId, { open, redact, usage }: Answer): readonly AnswerEnd[] {
  const left = [...open.values()];
  if (left.length === 0 || !left.every(({ deferred }) => deferred)) return [];
  const calls = left.map(({ part }) => ({
    id: wireCallId(turn, part.callId),
    name: part.name,
    arguments: redact(part.inputText ?? JSON.stringify(part.input)),
  }));
  return [{ type: "ended", finish: "calls", usage, calls }];
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
