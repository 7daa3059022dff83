/** Texts of ours that nobody asked for in a chat: rows of it, never in the middle of a turn. */
import type { Millis } from "../contract/base.ts";
import type { AssistantMessage, Message, Sender } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";
import { NO_USAGE } from "../lib/usage.ts";
import { added } from "./reduce-labels.ts";

type Posted = Extract<JournalRecord, { type: "message.posted" }>;

/** As if the model had said it here, behind a notice that tells it who did. */
export function post(state: SessionState, record: Posted, at: Millis): SessionState {
  const rows: readonly Message[] = [
    { role: "notice", at, kind: "runtime", text: postedNotice(record.from) },
    postedMessage(record, at),
  ];
  // Between a call and its result no other row may stand.
  return state.turn === undefined ? append(state, rows) : { ...state, posted: [...(state.posted ?? []), ...rows] };
}

/** At the end of a turn: what waited for it. */
export function placePosted(state: SessionState): SessionState {
  if (state.posted === undefined) return state;
  const { posted, ...rest } = state;
  return append(rest, posted);
}

export function postedMessage({ text, marks }: Posted, at: Millis): AssistantMessage {
  return {
    role: "assistant",
    at,
    model: { provider: "margay", model: "schedule" },
    parts: [{ type: "text", text }],
    finish: "stop",
    usage: NO_USAGE,
    ...marks,
  };
}

function postedNotice({ id, name }: Sender): string {
  return `Your next message was sent to this chat by ${id}${name === undefined ? "" : ` (${name})`}; nobody had asked for it just then.`;
}

function append(state: SessionState, rows: readonly Message[]): SessionState {
  return {
    ...state,
    ...added(state, rows),
    rows: state.rows + rows.filter((row) => row.role !== "notice").length,
  };
}
