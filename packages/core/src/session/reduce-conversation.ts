/**
 * The part of the fold about answers: what was allowed or refused, and what stays allowed in this conversation; what people are called in it;
 * and texts of ours that nobody asked for in a chat: rows of it, never in the middle of a turn.
 */
import type { CallId, Millis } from "../contract/base.ts";
import type { AssistantMessage, Message, Sender, UserMessage } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { CallQuestion, SessionState, TurnState } from "../contract/session.ts";
import { withAnswer } from "../lib/approval-choices.ts";
import { NO_USAGE } from "../lib/usage.ts";
import { added } from "./reduce-labels.ts";
import { onCall, onTurn } from "./reduce-turn.ts";

type Answered = Extract<JournalRecord, { type: "approval.resolved" }>;

/** Answered twice: the first answer counts. A yes that is to hold in this chat is kept with it. */
export function answer(state: SessionState, record: Answered, at: Millis): SessionState {
  const asked = state.turn?.calls.find((item) => item.call.callId === record.call);
  if (asked?.status !== "asked") return answerQuestion(state, record, at);
  const { call, effect, hash, grant } = asked;
  const next = onCall(state, record.call, () =>
    record.verdict === "allow"
      ? { status: "allowed", call, effect, hash }
      : { status: "denied", call, effect, reason: record.reason ?? `refused by ${record.by}` },
  );
  return withAnswer(withGrant(next, record, grant), record, hash, at);
}

/** The call that asked goes on by itself; one that went on without leaves the yes to the next. */
function answerQuestion(state: SessionState, record: Answered, at: Millis): SessionState {
  const asked = state.turn?.questions?.find(({ call, hash }) => call === record.call && hash === record.hash);
  if (asked === undefined) return state;
  const isLeft = asked.late === true && record.verdict === "allow" && record.remember === undefined;
  const next = {
    ...state,
    ...onTurn(state, ({ questions = [], lateAnswers = [], ...turn }) => ({
      ...turn,
      questions: questions.filter(({ hash }) => hash !== asked.hash),
      lateAnswers: isLeft ? [...lateAnswers, { about: asked.about, hash: asked.hash, by: record.by }] : lateAnswers,
    })),
  };
  return withAnswer(withGrant(next, record, asked.grant), record, asked.hash, at);
}

function withGrant(state: SessionState, record: Answered, grant: CallQuestion["grant"]): SessionState {
  if (record.verdict === "deny" || record.remember !== "session" || grant === undefined) return state;
  const { always: _always, ...kept } = grant;
  return { ...state, grants: [...(state.grants ?? []), { ...kept, by: record.by, call: record.call }] };
}

/** A running call asks a person. */
export function question(
  state: SessionState,
  record: Extract<JournalRecord, { type: "call.asked" }>,
  at: Millis,
): SessionState {
  const { call, about, prompt, hash, expiresAt, grant } = record;
  const name = state.turn?.calls.find((item) => item.call.callId === call)?.call.name ?? "";
  const asked = { call, name, about, prompt, hash, askedAt: at, expiresAt, ...(grant !== undefined && { grant }) };
  return { ...state, ...onTurn(state, (turn) => ({ ...turn, questions: [...(turn.questions ?? []), asked] })) };
}

export function closeQuestion(
  state: SessionState,
  { hash, because }: Extract<JournalRecord, { type: "question.closed" }>,
): SessionState {
  return {
    ...state,
    ...onTurn(state, (turn) =>
      because === "used"
        ? { ...turn, lateAnswers: (turn.lateAnswers ?? []).filter((each) => each.hash !== hash) }
        : withLate(turn, (each) => each.hash === hash),
    ),
  };
}

/** What a call asked that has ended: nobody waits for the answer. */
export function withoutWaiting(turn: TurnState, call: CallId): TurnState {
  return turn.questions === undefined ? turn : withLate(turn, (each) => each.call === call);
}

function withLate(turn: TurnState, isLate: (question: CallQuestion) => boolean): TurnState {
  const questions = (turn.questions ?? []).map((each) => (isLate(each) ? { ...each, late: true as const } : each));
  return { ...turn, questions };
}

const MAX_NAMES = 500;

/** Who has spoken keeps the name. */
export function withName(
  { names = [] }: SessionState,
  { from: { id, name } }: UserMessage,
): Pick<SessionState, "names"> {
  if (name === undefined || names.some(([known, label]) => known === id && label === name)) return { names };
  return { names: [...names.filter(([known]) => known !== id), [id, name] as const].slice(-MAX_NAMES) };
}

/** Who has a name here may have another one from now on. */
export function renamed(state: SessionState, message: UserMessage): SessionState {
  const isNamed = state.names?.some(([id]) => id === message.from.id) === true;
  return isNamed ? { ...state, ...withName(state, message) } : state;
}

/** When a waiting message is seen. */
export function withMode(state: SessionState, id: string, mode: "steer" | "queue" | undefined): SessionState {
  if (mode === undefined) return state;
  const pending = state.pending.map(({ mode: before, ...item }) => {
    const now = item.message.id === id ? mode : before;
    return { ...item, ...(now === "queue" && { mode: now }) };
  });
  return { ...state, pending };
}

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
