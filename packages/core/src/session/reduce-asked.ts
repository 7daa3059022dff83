/** The part of the fold about questions that stand in a chat with buttons. */
import type { JournalRecord } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";

type Asked = Pick<SessionState, "asked">;
type Of<Type extends JournalRecord["type"]> = Extract<JournalRecord, { type: Type }>;

/** Kept when they are over too: who presses later is told that they are. */
const MAX_ASKED = 20;

export function put({ asked = [] }: SessionState, { question, reply, to, parts }: Of<"reply.queued">): Asked {
  return question === undefined ? {} : { asked: [...asked, { ...question, reply, to, parts }].slice(-MAX_ASKED) };
}

/** The piece that left last has the buttons. */
export function shown({ asked, outbox }: SessionState, { reply, id }: Of<"reply.sent">): Asked {
  const last = outbox.find((item) => item.reply === reply)?.leaving;
  if (asked === undefined || last === undefined) return {};
  const now = { last: { ...last, ...(id !== undefined && { id }) } };
  return { asked: asked.map((item) => (item.reply === reply ? { ...item, ...now } : item)) };
}
