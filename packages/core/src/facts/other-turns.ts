/** Which events of a conversation belong to what somebody else asked, for one who waits for an answer of their own. */
import type { AgentEvent } from "../contract/event.ts";
import type { SessionState } from "../contract/session.ts";

export interface OtherTurns {
  /** Told of every event in order, from the state of the start on. @returns whether it belongs to what `asked` named, or to nobody. */
  isMine(event: AgentEvent): boolean;
  /** What waited at the start is nobody's, unless another terminal is there too. @param alone Nobody else shows it. */
  shows(reply: string, alone: boolean): boolean;
  /** @param key Of the message whose answer is waited for. */
  asked(key: string): void;
}

/** @param state At the start: the turn that runs is another's. */
export function followOtherTurns({ turn, outbox }: Pick<SessionState, "turn" | "outbox">): OtherTurns {
  const waiting = new Set(outbox.map(({ reply }) => reply));
  const replies = new Set<string>();
  let other: string | undefined = turn?.id;
  let mine: string | undefined;
  let message: string | undefined;
  return {
    isMine: (event) => {
      switch (event.type) {
        case "message.received":
          if (event.key === mine) message = event.message.id;
          return event.key === mine;
        case "turn.started":
          other = event.message === message ? undefined : event.turn;
          break;
        case "model.requested":
          // It may be placed into a turn that was running already.
          if (event.placed.some((id) => id === message)) other = undefined;
          break;
        case "turn.ended":
          if (event.turn !== other) break;
          queueMicrotask(() => (other = undefined)); // its reply is of the same commit
          return false;
        case "reply.queued":
          if (other !== undefined) replies.add(event.reply);
          return !replies.has(event.reply);
        case "reply.delivered":
          return !replies.has(event.reply);
        default:
          break;
      }
      return other === undefined;
    },
    shows: (reply, alone) => !replies.has(reply) && (alone || !waiting.has(reply)),
    asked: (key) => {
      mine = key;
    },
  };
}
