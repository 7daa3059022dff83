/** The part of the fold about questions that stand in a chat. */
import type { AskedInChat } from "../contract/bus.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";
import { digestIn, isAsked } from "../lib/approval-choices.ts";

type Asked = Pick<SessionState, "asked">;
type Of<Type extends JournalRecord["type"]> = Extract<JournalRecord, { type: Type }>;

/** Kept when they are over too: who presses later is told that they are. */
const MAX_ASKED = 20;

export function put(state: SessionState, { question, reply, to, parts }: Of<"reply.queued">): Asked {
  const { asked = [] } = state;
  const isOpen = (each: AskedInChat): boolean => isAsked(state, each);
  const over = asked.filter((each) => !isOpen(each)).slice(1 - MAX_ASKED);
  const known = asked.filter((each) => over.includes(each) || isOpen(each));
  return question === undefined ? {} : { asked: [...known, { ...question, reply, to, parts }] };
}

/** A question of a digest is asked by itself: its answer brings the next. */
export function askedAlone(state: SessionState, { reply, why }: Of<"reply.held">): Asked {
  const isHeld = state.outbox.some((item) => item.reply === reply && item.held === "digest");
  const digest = why === undefined && isHeld ? digestIn(state) : undefined;
  return digest === undefined
    ? {}
    : { asked: state.asked?.map((item) => (item === digest ? { ...item, next: reply } : item)) ?? [] };
}

/** The piece that left last has the buttons. */
export function shown({ asked, outbox }: SessionState, { reply, id }: Of<"reply.sent">): Asked {
  const last = outbox.find((item) => item.reply === reply)?.leaving;
  if (asked === undefined || last === undefined) return {};
  const now = { last: { ...last, ...(id !== undefined && { id }) } };
  return { asked: asked.map((item) => (item.reply === reply ? { ...item, ...now } : item)) };
}
