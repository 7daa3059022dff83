/** A reply says which message it answers where that is not plain to see: in groups, and when something else was said in between. */
import type { ChannelCan, OutboundPiece } from "../contract/channel.ts";
import type { SessionState } from "../contract/session.ts";
import { isGroup } from "../lib/audience.ts";

type Said = Pick<SessionState, "audience" | "handles" | "messages" | "pending">;

/** Of a text that nobody asked for in this chat. */
const OURS = "margay";

/** @param of the reply that the piece is of: its first piece alone says it. `answers`: the message's id. */
export function asAnswer(
  piece: OutboundPiece,
  { reply, answers }: { readonly reply: string; readonly answers?: string | undefined },
  { state }: { readonly state: Said },
  { can }: { readonly can: ChannelCan },
): OutboundPiece {
  if (can.quote !== true || answers === undefined || piece.reply !== reply) return piece;
  const key = state.handles?.find(({ id }) => id === answers)?.key;
  return key === undefined || !isUnclear(answers, state) ? piece : { ...piece, quote: key };
}

function isUnclear(asked: string, { audience, messages, pending }: Said): boolean {
  if (isGroup(audience) || pending.some(({ message }) => message.from.kind === "person")) return true;
  const place = messages.findLastIndex((message) => message.role === "user" && message.id === asked);
  const question = messages[place];
  if (question === undefined) return true; // much was said since
  const since = messages.slice(place + 1);
  if (since.some((row) => row.role === "assistant" && row.model.provider === OURS)) return true;
  // What was placed with it is answered with it.
  const first = since.findIndex(({ role }) => role === "assistant");
  if (first >= 0 && since.slice(first).some(({ role }) => role === "user")) return true;
  // It waited while another one was answered.
  return messages.slice(0, place).some(({ role, at }) => role === "assistant" && at > question.at);
}
