/** The parts of the fold that concern a running turn. */
import type { CallId, Millis } from "../contract/base.ts";
import type { AssistantMessage, ToolCallPart, Usage } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { CallState, SessionState, TurnState } from "../contract/session.ts";
import { fingerprint } from "../lib/hash.ts";
import { addUsage, NO_USAGE } from "../lib/usage.ts";
import { added } from "./reduce-labels.ts";

export function startTurn(
  state: SessionState,
  record: Extract<JournalRecord, { type: "turn.started" }>,
  at: Millis,
): TurnState {
  const opening = record.message ?? state.pending[0]?.message.id;
  const { sampling, speaker } = state.pending.find((item) => item.message.id === opening) ?? {};
  return {
    id: record.turn,
    startedAt: at,
    replyTo: record.replyTo,
    attended: record.attended,
    steerable: state.pending[0]?.message.from.kind === "person",
    ...(opening !== undefined && { opening }),
    ...(sampling !== undefined && { sampling }),
    ...(speaker !== undefined && { speaker }),
    steps: 0,
    executed: 0,
    attempt: 0,
    responded: false,
    cancelled: false,
    empty: 0,
    continued: 0,
    nameless: 0,
    compactions: 0,
    summarized: false,
    tools: true,
    calls: [],
    texts: [],
    toolsUsed: [],
    sent: [],
    usage: NO_USAGE,
    estimated: 0,
    repeats: { key: "", count: 0 },
  };
}

/** A turn that opens with what an agent reports was asked for by nobody; one without a message was asked for by the host. */
export function countUnasked(
  { chain = 0, unasked: _unasked, ...state }: SessionState,
  { message }: Extract<JournalRecord, { type: "turn.started" }>,
): SessionState {
  const opening = message === undefined ? undefined : state.pending.find((item) => item.message.id === message);
  const { kind, bot } = opening?.message.from ?? { kind: "person" as const, bot: undefined };
  return {
    ...state,
    ...(kind !== "person" && { unasked: true }),
    ...((kind === "agent" || bot === true) && { chain: chain + 1 }),
  };
}

/** Blank text, no call: an answer that is asked for again and leaves no trace in the context. */
export function isEmptyAnswer(message: AssistantMessage): boolean {
  return (
    message.finish !== "refusal" &&
    message.parts.every((part) => part.type === "thinking" || (part.type === "text" && part.text.trim() === ""))
  );
}

/** @param isSpokenTo A person's message came with it: that resets what counts answers that led nowhere. */
export function askModel(
  { retryAt: _retryAt, error: _error, ...turn }: TurnState,
  { attempt, estimated, tools, closing }: Extract<JournalRecord, { type: "model.requested" }>,
  isSpokenTo: boolean,
): TurnState {
  return {
    ...turn,
    attempt,
    responded: false,
    calls: [],
    estimated,
    ...(isSpokenTo && { empty: 0, continued: 0 }),
    tools,
    ...(closing === true && { summarized: true }),
  };
}

export function failRequest(
  { retryAt: _retryAt, ...turn }: TurnState,
  { error, usage, retryAt }: Extract<JournalRecord, { type: "model.failed" }>,
): TurnState {
  return {
    ...turn,
    estimated: 0,
    error,
    ...(usage !== undefined && { usage: addUsage(turn.usage, usage) }),
    ...(retryAt !== undefined && { retryAt }),
  };
}

/** A shorter context: the request is asked for anew. */
export function compact(
  { error: _error, retryAt: _retryAt, ...turn }: TurnState,
  { usage }: Extract<JournalRecord, { type: "history.compacted" }>,
): TurnState {
  return { ...turn, compactions: turn.compactions + 1, usage: addUsage(turn.usage, usage), attempt: 0 };
}

export function respond(state: SessionState, message: AssistantMessage, dropped: TurnState["dropped"]): SessionState {
  const calls = message.parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  const empty = isEmptyAnswer(message);
  const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return {
    ...state,
    ...(!empty && added(state, [message])),
    rows: empty ? state.rows : state.rows + 1,
    tokenFactor: tokenFactor(state, message.usage),
    ...onTurn(state, ({ dropped: _dropped, error: _error, ...turn }) => ({
      ...turn,
      steps: empty && dropped === undefined ? turn.steps : turn.steps + 1,
      attempt: 0,
      compactions: 0,
      responded: true,
      finish: message.finish,
      ...(dropped !== undefined && { dropped }),
      empty: empty && message.finish !== "length" && dropped === undefined ? turn.empty + 1 : 0,
      continued: message.finish === "length" ? turn.continued + 1 : 0,
      nameless: dropped === "nameless" ? turn.nameless + 1 : turn.nameless,
      calls: calls.map((call): CallState => ({ status: "proposed", call })),
      // The pieces of one continued answer are one text.
      texts:
        turn.finish === "length" && turn.texts.length > 0
          ? [...turn.texts.slice(0, -1), `${turn.texts.at(-1) ?? ""}${text}`]
          : [...turn.texts, text],
      usage: addUsage(turn.usage, message.usage),
      estimated: 0,
    })),
  };
}

/** Reported ÷ estimated input of the last response, damped and bounded: one odd report must not starve the context. */
export function tokenFactor(state: SessionState, usage: Usage): number {
  const estimated = state.turn?.estimated ?? 0;
  if (usage.estimated === true || usage.input === 0 || estimated === 0) return state.tokenFactor;
  const ratio = (usage.input / estimated) * state.tokenFactor;
  return Math.min(3, Math.max(0.5, (state.tokenFactor + ratio) / 2));
}

export function judged(
  call: ToolCallPart,
  record: Extract<JournalRecord, { type: "call.judged" }>,
  at: Millis,
): CallState {
  const { effect } = record;
  switch (record.verdict) {
    case "allow":
      return { status: "allowed", call, effect, ...(record.hash !== undefined && { hash: record.hash }) };
    case "deny":
      return { status: "denied", call, effect, reason: record.reason ?? "not allowed" };
    case "ask":
      return {
        status: "asked",
        call,
        effect,
        prompt: record.prompt ?? "",
        hash: record.hash ?? "",
        askedAt: at,
        expiresAt: record.expiresAt ?? at,
        ...(record.grant !== undefined && { grant: record.grant }),
        ...(record.by !== undefined && { of: record.by }),
      };
  }
}

/** It counts as executed: the limit of calls holds for tools of the client too. */
export function defer(
  state: SessionState,
  { call: id, name, expiresAt }: Extract<JournalRecord, { type: "call.deferred" }>,
  at: Millis,
): SessionState {
  const next = onCall(state, id, ({ call }) => ({
    status: "deferred",
    call,
    effect: "write",
    deferredAt: at,
    expiresAt,
  }));
  return { ...next, ...onTurn(next, (turn) => countCall(turn, name)) };
}

function countCall(turn: TurnState, name: string): TurnState {
  return {
    ...turn,
    executed: turn.executed + 1,
    toolsUsed: turn.toolsUsed.includes(name) ? turn.toolsUsed : [...turn.toolsUsed, name],
  };
}

export function startTool(
  state: SessionState,
  { call: id, name, effect, attempt }: Extract<JournalRecord, { type: "tool.started" }>,
): SessionState {
  const next = onCall(state, id, ({ call }) => ({ status: "started", call, effect, attempt }));
  return attempt === 1 ? { ...next, ...onTurn(next, (turn) => countCall(turn, name)) } : next;
}

/** Same call, same arguments, same result in a row. */
export function countRepeat(
  turn: TurnState,
  record: Extract<JournalRecord, { type: "tool.finished" }>,
): TurnState["repeats"] {
  const call = turn.calls.find((item) => item.call.callId === record.message.callId)?.call;
  const key = fingerprint(JSON.stringify([record.message.name, call?.input, call?.inputText, record.message.parts]));
  return turn.repeats.key === key ? { key, count: turn.repeats.count + 1 } : { key, count: 1 };
}

export function onTurn(state: SessionState, change: (turn: TurnState) => TurnState): { turn?: TurnState } {
  return state.turn === undefined ? {} : { turn: change(state.turn) };
}

export function onCall(state: SessionState, id: CallId, change: (current: CallState) => CallState): SessionState {
  return {
    ...state,
    ...onTurn(state, (turn) => ({
      ...turn,
      calls: turn.calls.map((item) => (item.call.callId === id ? change(item) : item)),
    })),
  };
}
