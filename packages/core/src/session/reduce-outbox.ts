/** The part of the fold that keeps what was said to somebody until it is delivered or given up on. */
import type { Millis, TurnId } from "../contract/base.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { QueuedReply } from "../contract/bus.ts";
import type { LiveMessage } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";
import { sameAddress } from "../lib/session-key.ts";
import { isGroup } from "../lib/audience.ts";
import { onTurn } from "./reduce-turn.ts";

const MAX_UNDELIVERED = 20;
const MAX_HANDLES = 20;

/** The answer of a turn, among all that is said in it. */
export function finalReply(turn: TurnId): string {
  return `${turn}:reply`;
}

type Reply = Extract<
  JournalRecord,
  {
    type:
      | "reply.queued"
      | "reply.live"
      | "reply.held"
      | "reply.sending"
      | "reply.sent"
      | "reply.delivered"
      | "reply.failed";
  }
>;

export function reply(state: SessionState, record: Reply, at: Millis): SessionState {
  if (record.type === "reply.live") return live(state, record, at);
  const change = (changed: (item: QueuedReply) => QueuedReply): SessionState => ({
    ...state,
    outbox: state.outbox.map((item) => (item.reply === record.reply ? changed(item) : item)),
  });
  switch (record.type) {
    case "reply.queued":
      return queued(state, record, at);
    case "reply.sending":
      return change(({ held: _held, ...item }) => ({ ...item, leaving: leaving(item.leaving, record, at) }));
    case "reply.held":
      return change(({ held: _held, ...item }) => ({
        ...(record.why === "window" ? withoutDoubt(item) : item),
        ...(record.why !== undefined && { held: record.why }),
        ...(record.why === undefined && item.leaving && { leaving: { ...item.leaving, doubt: "accepted" } }),
      }));
    case "reply.sent":
      return change(({ leaving, ...item }) => ({
        ...item,
        left: {
          piece: record.piece,
          to: leaving?.to ?? 0,
          ids: [...(item.left?.ids ?? []), ...(record.id === undefined ? [] : [record.id])],
        },
      }));
    case "reply.delivered":
      return { ...state, outbox: state.outbox.filter((item) => item.reply !== record.reply) };
    case "reply.failed": {
      const { retryAt } = record;
      if (retryAt !== undefined)
        return change((item) => ({
          ...(record.sent === "no" ? withoutDoubt(item) : item),
          attempt: record.attempt,
          retryAt,
          ...(record.kind === "fault" && { bugs: (item.bugs ?? 0) + 1 }),
          ...(record.answered === true && { refusals: (item.refusals ?? 0) + 1 }),
        }));
      const lost = state.outbox.find((item) => item.reply === record.reply);
      if (lost === undefined) return state;
      const { reply, to, left } = lost;
      const undelivered = { reply, to, error: record.error, ...(left !== undefined && { left }) };
      return {
        ...state,
        outbox: state.outbox.filter((item) => item !== lost),
        undelivered: [...state.undelivered, undelivered].slice(-MAX_UNDELIVERED),
      };
    }
  }
}

/** The last attempt did not leave; of those before it nobody knows more than before. */
function withoutDoubt({ leaving: last, ...item }: QueuedReply): QueuedReply {
  if (last === undefined) return item;
  return { ...item, leaving: last.before === undefined ? { ...last, doubt: "none" } : last };
}

function leaving(
  known: QueuedReply["leaving"],
  { piece, from, to, sound }: Extract<Reply, { type: "reply.sending" }>,
  at: Millis,
): NonNullable<QueuedReply["leaving"]> {
  const last = known?.piece === piece ? known : undefined;
  const before = last !== undefined && last.doubt === undefined;
  const since = last?.since ?? at;
  return { piece, from, to, ...(sound !== undefined && { sound }), since, ...(before && { before }) };
}

function queued(state: SessionState, record: Extract<Reply, { type: "reply.queued" }>, at: Millis): SessionState {
  const before = state.undelivered.find(({ reply }) => reply === record.reply); // a person asked for it again
  const { live: shown, ...others } = state;
  const isHere = shown !== undefined && sameAddress(shown.to, record.to);
  // What else is said there stands below it: the answer then does too.
  const isShown = isHere && record.kind === "reply" && record.reply === finalReply(shown.turn);
  return {
    ...(isHere ? others : state),
    ...(record.kind === "error" && isGroup(state.audience) && { errorAt: at }),
    outbox: [
      ...state.outbox,
      {
        reply: record.reply,
        to: record.to,
        kind: record.kind,
        parts: record.parts,
        ...(record.marks !== undefined && { marks: record.marks }),
        ...(record.question !== undefined && { question: record.question }),
        ...(record.silent !== undefined && { silent: record.silent }),
        ...(record.again !== undefined && { again: record.again }),
        ...(record.voice !== undefined && { voice: record.voice }),
        ...(record.answers !== undefined && { answers: record.answers }),
        queuedAt: at,
        attempt: 0,
        ...(isShown && { live: shown.messages }),
        ...(before?.left !== undefined && record.again === undefined && { left: before.left }),
      },
    ],
    undelivered: before === undefined ? state.undelivered : state.undelivered.filter((other) => other !== before),
    ...(record.call !== undefined &&
      onTurn(state, (turn) => ({
        ...turn,
        sent: [
          ...turn.sent,
          {
            reply: record.reply,
            to: record.to,
            text: record.parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
          },
        ],
      }))),
  };
}

function live(state: SessionState, record: Extract<Reply, { type: "reply.live" }>, at: Millis): SessionState {
  const { live: before, ...rest } = state;
  const { turn, to } = record;
  // It was still on its way to the platform when the turn ended.
  const late = state.outbox.find(({ reply, kind }) => reply === finalReply(turn) && kind === "reply");
  const messages = withLive(late?.live ?? (before?.turn === turn ? before.messages : []), record, at);
  if (late === undefined) return messages.length === 0 ? rest : { ...rest, live: { turn, to, messages } };
  return { ...state, outbox: state.outbox.map((item) => (item === late ? { ...item, live: messages } : item)) };
}

function withLive(
  messages: readonly LiveMessage[],
  { piece = 1, key, id }: Extract<Reply, { type: "reply.live" }>,
  since: Millis,
): readonly LiveMessage[] {
  const before = messages.slice(0, piece - 1);
  if (key === undefined && id === undefined) return before;
  const known = key === undefined ? messages[piece - 1] : { key };
  return [...before, { since, ...known, ...(id !== undefined && { id }) }, ...messages.slice(piece)];
}

/** What replies may leave with: a token of the message, for a while, a few times. */
type Handles = Pick<SessionState, "handles">;

export function opened(
  { handles = [] }: SessionState,
  record: Extract<JournalRecord, { type: "handle.received" }>,
  at: Millis,
): Handles {
  const { id, from, handle } = record;
  const known = handles.filter((one) => one.id !== id && (one.expiresAt ?? Infinity) > at);
  return { handles: [...known, { ...handle, id, from, used: 0 }].slice(-MAX_HANDLES) };
}

export function used({ handles = [] }: SessionState, id: string): Handles {
  return { handles: handles.map((one) => (one.id === id ? { ...one, used: one.used + 1 } : one)) };
}

/** The platform takes nothing with it any more, whatever was said of it. */
export function spent({ handles = [] }: SessionState, id: string): Handles {
  return { handles: handles.filter((one) => one.id !== id) };
}

/** What waits for a person is none of those in whose order a chat goes on. */
export function isInOrder({ held }: Pick<QueuedReply, "held">): boolean {
  return held === undefined || held === "window";
}
