/** (state, record) → state: the meaning of the journal. Pure; runs in a browser too. */
import type { CallId, Millis, Seq, SessionId } from "../contract/base.ts";
import type { AssistantMessage, ToolCallPart, Usage } from "../contract/message.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import type { CallState, SessionState, TurnState } from "../contract/session.ts";
import { fingerprint } from "../lib/hash.ts";
import { addUsage, NO_USAGE } from "../lib/usage.ts";

const MAX_UNDELIVERED = 20;

export function emptyState(id: SessionId): SessionState {
  return {
    id,
    key: "",
    seq: 0 as Seq, // before the first commit
    createdAt: 0,
    updatedAt: 0,
    origin: { channel: "", chat: "" },
    messages: [],
    pending: [],
    outbox: [],
    undelivered: [],
    usage: NO_USAGE,
    tokenFactor: 1,
    rows: 0,
    consolidated: 0,
    cleared: 0,
  };
}

export function fold(state: SessionState, commit: Commit): SessionState {
  let next = state;
  for (const record of commit.records) next = reduce(next, record, commit.at);
  return { ...next, seq: commit.seq, updatedAt: commit.at, ...(state.seq === 0 && { createdAt: commit.at }) };
}

export function reduce(state: SessionState, record: JournalRecord, at: Millis): SessionState {
  switch (record.type) {
    case "session.opened":
      return {
        ...state,
        key: record.key,
        origin: record.origin,
        ...(record.parent !== undefined && { parent: record.parent }),
      };
    case "prefix.frozen": {
      const { stale: _stale, ...rest } = state;
      return { ...rest, prefix: record.prefix, frozenFor: record.model };
    }
    case "message.received":
      return {
        ...state,
        pending: [...state.pending, { message: record.message, origin: record.origin, attended: record.attended }],
      };
    case "messages.withdrawn":
      return { ...state, pending: state.pending.filter((item) => !record.ids.includes(item.message.id)) };
    case "messages.placed": {
      const placed = state.pending.filter((item) => record.ids.includes(item.message.id));
      return {
        ...state,
        messages: [...state.messages, ...placed.map((item) => item.message)],
        pending: state.pending.filter((item) => !record.ids.includes(item.message.id)),
        rows: state.rows + placed.length,
      };
    }
    case "command.handled":
      return state;
    case "notice.added":
      return { ...state, messages: [...state.messages, record.notice] };
    case "turn.started": {
      const { unanswered: _unanswered, ...rest } = state;
      return { ...rest, turn: startTurn(state, record, at) };
    }
    case "model.requested": {
      const placed = state.pending.filter((item) => record.placed.includes(item.message.id));
      return {
        ...state,
        messages: [...state.messages, ...placed.map((item) => item.message)],
        pending: state.pending.filter((item) => !record.placed.includes(item.message.id)),
        rows: state.rows + placed.length,
        ...onTurn(state, ({ retryAt: _retryAt, error: _error, ...turn }) => ({
          ...turn,
          attempt: record.attempt,
          responded: false,
          calls: [],
          estimated: record.estimated,
          // A person's message resets what counts answers that led nowhere.
          ...(placed.length > 0 && { empty: 0, continued: 0 }),
          tools: record.tools,
          ...(record.closing === true && { summarized: true }),
        })),
      };
    }
    case "model.responded":
      return respond(state, record.message, record.dropped);
    case "model.failed":
      return {
        ...state,
        usage: record.usage === undefined ? state.usage : addUsage(state.usage, record.usage),
        ...onTurn(state, ({ retryAt: _retryAt, ...turn }) => ({
          ...turn,
          estimated: 0,
          error: record.error,
          ...(record.usage !== undefined && { usage: addUsage(turn.usage, record.usage) }),
          ...(record.retryAt !== undefined && { retryAt: record.retryAt }),
        })),
      };
    case "call.judged":
      return onCall(state, record.call, ({ call }) => judged(call, record, at));
    case "approval.resolved":
      return onCall(state, record.call, (item) => {
        if (item.status !== "asked") return item; // answered twice: the first answer counts
        const { call, effect } = item;
        return record.verdict === "allow"
          ? { status: "allowed", call, effect }
          : { status: "denied", call, effect, reason: record.reason ?? `refused by ${record.by}` };
      });
    case "tool.started":
      return {
        ...onCall(state, record.call, ({ call }) => ({
          status: "started",
          call,
          effect: record.effect,
          attempt: record.attempt,
        })),
        ...(record.attempt === 1 && onTurnAfterCall(state, record)),
      };
    case "tool.failed":
      return onCall(state, record.call, (item) =>
        item.status === "started"
          ? {
              status: "retrying",
              call: item.call,
              effect: item.effect,
              attempt: record.attempt,
              retryAt: record.retryAt,
              error: record.error,
            }
          : item,
      );
    case "tool.finished": {
      const next = onCall(state, record.message.callId, ({ call }) => ({
        status: "finished",
        call,
        message: record.message,
      }));
      return {
        ...next,
        messages: [...state.messages, record.message],
        rows: state.rows + 1,
        ...onTurn(next, (turn) => ({ ...turn, repeats: countRepeat(turn, record) })),
      };
    }
    case "turn.cancelled":
      return { ...state, ...onTurn(state, (turn) => ({ ...turn, cancelled: true })) };
    case "turn.ended": {
      const { turn: _turn, ...rest } = state;
      return { ...rest, ...(record.error !== undefined && record.reason === "failed" && { unanswered: record.error }) };
    }
    case "reply.queued":
      return {
        ...state,
        outbox: [
          ...state.outbox,
          { reply: record.reply, to: record.to, kind: record.kind, parts: record.parts, queuedAt: at, attempt: 0 },
        ],
        ...(record.call !== undefined &&
          onTurn(state, (turn) => ({
            ...turn,
            sent: [
              ...turn.sent,
              { to: record.to, text: record.parts.map((part) => (part.type === "text" ? part.text : "")).join("") },
            ],
          }))),
      };
    case "reply.delivered":
      return { ...state, outbox: state.outbox.filter((item) => item.reply !== record.reply) };
    case "reply.failed": {
      const { retryAt } = record;
      if (retryAt !== undefined)
        return {
          ...state,
          outbox: state.outbox.map((item) =>
            item.reply === record.reply ? { ...item, attempt: record.attempt, retryAt } : item,
          ),
        };
      const lost = state.outbox.find((item) => item.reply === record.reply);
      return {
        ...state,
        outbox: state.outbox.filter((item) => item.reply !== record.reply),
        ...(lost !== undefined && {
          undelivered: [...state.undelivered, { reply: lost.reply, to: lost.to, error: record.error }].slice(
            -MAX_UNDELIVERED,
          ),
        }),
      };
    }
    case "history.compacted":
      return {
        ...state,
        messages: record.kept,
        consolidated: Math.min(state.rows, state.consolidated + record.rows),
        usage: addUsage(state.usage, record.usage),
        tokenFactor: 1,
        ...onTurn(state, ({ error: _error, retryAt: _retryAt, ...turn }) => ({
          ...turn,
          compactions: turn.compactions + 1,
          usage: addUsage(turn.usage, record.usage),
          attempt: 0,
        })),
      };
    case "session.cleared":
      return {
        ...withoutUnanswered(state),
        messages: [],
        pending: [],
        rows: 0,
        consolidated: 0,
        cleared: state.cleared + 1,
        stale: "reset",
        tokenFactor: 1,
      };
    case "history.imported":
      return { ...state, messages: record.messages, rows: record.rows, consolidated: record.consolidated };
    case "session.configured":
      return configure(state, record);
  }
}

function startTurn(
  state: SessionState,
  record: Extract<JournalRecord, { type: "turn.started" }>,
  at: Millis,
): TurnState {
  return {
    id: record.turn,
    startedAt: at,
    replyTo: record.replyTo,
    attended: record.attended,
    steerable: state.pending[0]?.message.from.kind === "person",
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

/** Blank text, no call: an answer that is asked for again and leaves no trace in the context (PR7). */
export function isEmptyAnswer(message: AssistantMessage): boolean {
  return (
    message.finish !== "refusal" &&
    message.parts.every((part) => part.type === "thinking" || (part.type === "text" && part.text.trim() === ""))
  );
}

function respond(state: SessionState, message: AssistantMessage, dropped: TurnState["dropped"]): SessionState {
  const calls = message.parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  const empty = isEmptyAnswer(message);
  const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return {
    ...state,
    messages: empty ? state.messages : [...state.messages, message],
    rows: empty ? state.rows : state.rows + 1,
    usage: addUsage(state.usage, message.usage),
    tokenFactor: tokenFactor(state, message.usage),
    ...onTurn(state, ({ dropped: _dropped, error: _error, ...turn }) => ({
      ...turn,
      steps: empty && dropped === undefined ? turn.steps : turn.steps + 1,
      attempt: 0,
      responded: true,
      finish: message.finish,
      ...(dropped !== undefined && { dropped }),
      empty: empty && message.finish !== "length" && dropped === undefined ? turn.empty + 1 : 0,
      continued: message.finish === "length" ? turn.continued + 1 : 0,
      nameless: dropped === "nameless" ? turn.nameless + 1 : turn.nameless,
      calls: calls.map((call): CallState => ({ status: "proposed", call })),
      // The pieces of one continued answer are one text (PR8).
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
function tokenFactor(state: SessionState, usage: Usage): number {
  const estimated = state.turn?.estimated ?? 0;
  if (usage.estimated === true || usage.input === 0 || estimated === 0) return state.tokenFactor;
  const ratio = (usage.input / estimated) * state.tokenFactor;
  return Math.min(3, Math.max(0.5, (state.tokenFactor + ratio) / 2));
}

function judged(call: ToolCallPart, record: Extract<JournalRecord, { type: "call.judged" }>, at: Millis): CallState {
  const { effect } = record;
  switch (record.verdict) {
    case "allow":
      return { status: "allowed", call, effect };
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
      };
  }
}

function onTurnAfterCall(
  state: SessionState,
  record: Extract<JournalRecord, { type: "tool.started" }>,
): { turn?: TurnState } {
  const next = onCall(state, record.call, ({ call }) => ({
    status: "started",
    call,
    effect: record.effect,
    attempt: record.attempt,
  }));
  return onTurn(next, (turn) => ({
    ...turn,
    executed: turn.executed + 1,
    toolsUsed: turn.toolsUsed.includes(record.name) ? turn.toolsUsed : [...turn.toolsUsed, record.name],
  }));
}

/** Same call, same arguments, same result in a row (LP16). */
function countRepeat(turn: TurnState, record: Extract<JournalRecord, { type: "tool.finished" }>): TurnState["repeats"] {
  const call = turn.calls.find((item) => item.call.callId === record.message.callId)?.call;
  const key = fingerprint(JSON.stringify([record.message.name, call?.input, call?.inputText, record.message.parts]));
  return turn.repeats.key === key ? { key, count: turn.repeats.count + 1 } : { key, count: 1 };
}

function configure(state: SessionState, record: Extract<JournalRecord, { type: "session.configured" }>): SessionState {
  const { model, persona, stale, ...rest } = state;
  const nextModel = record.model === undefined ? model : record.model;
  const nextPersona = record.persona === undefined ? persona : record.persona;
  return {
    ...rest,
    ...(nextModel !== undefined && nextModel !== null && { model: nextModel }),
    ...(nextPersona !== undefined && nextPersona !== null && { persona: nextPersona }),
    ...((record.reset || stale !== undefined) && { stale: "reset" as const }),
  };
}

function withoutUnanswered(state: SessionState): SessionState {
  const { unanswered: _unanswered, ...rest } = state;
  return rest;
}

function onTurn(state: SessionState, change: (turn: TurnState) => TurnState): { turn?: TurnState } {
  return state.turn === undefined ? {} : { turn: change(state.turn) };
}

function onCall(state: SessionState, id: CallId, change: (current: CallState) => CallState): SessionState {
  return {
    ...state,
    ...onTurn(state, (turn) => ({
      ...turn,
      calls: turn.calls.map((item) => (item.call.callId === id ? change(item) : item)),
    })),
  };
}
