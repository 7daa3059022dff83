/** The part of the fold that keeps what was said to somebody until it is delivered or given up on. */
import type { Millis } from "../contract/base.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";
import { onTurn } from "./reduce-turn.ts";

const MAX_UNDELIVERED = 20;

type Reply = Extract<JournalRecord, { type: "reply.queued" | "reply.delivered" | "reply.failed" }>;

export function reply(state: SessionState, record: Reply, at: Millis): SessionState {
  switch (record.type) {
    case "reply.queued":
      return {
        ...state,
        outbox: [
          ...state.outbox,
          {
            reply: record.reply,
            to: record.to,
            kind: record.kind,
            parts: record.parts,
            ...(record.marks !== undefined && { marks: record.marks }),
            queuedAt: at,
            attempt: 0,
          },
        ],
        undelivered: state.undelivered.filter(({ reply }) => reply !== record.reply), // a person asked for it again
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
  }
}
