/** The part of the fold that keeps what was said to somebody until it is delivered or given up on. */
import type { Millis } from "../contract/base.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { QueuedReply, SessionState } from "../contract/session.ts";
import { isGroup } from "../lib/audience.ts";
import { onTurn } from "./reduce-turn.ts";

const MAX_UNDELIVERED = 20;

type Reply = Extract<
  JournalRecord,
  { type: "reply.queued" | "reply.sending" | "reply.sent" | "reply.delivered" | "reply.failed" }
>;

export function reply(state: SessionState, record: Reply, at: Millis): SessionState {
  const change = (changed: (item: QueuedReply) => QueuedReply): SessionState => ({
    ...state,
    outbox: state.outbox.map((item) => (item.reply === record.reply ? changed(item) : item)),
  });
  switch (record.type) {
    case "reply.queued": {
      const before = state.undelivered.find(({ reply }) => reply === record.reply); // a person asked for it again
      return {
        ...state,
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
            ...(record.voice !== undefined && { voice: record.voice }),
            queuedAt: at,
            attempt: 0,
            ...(before?.left !== undefined && { left: before.left }),
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
    case "reply.sending": {
      const { piece, from, to } = record;
      return change((item) => ({ ...item, leaving: { piece, from, to } }));
    }
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
          ...item,
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
