/** What people put below a message of ours. Feishu says neither its chat nor its author: both are known of what was sent in this run. */
import { isRecord, textOf, type Wire } from "./json.ts";
import type { Taking } from "./take.ts";

/** The usual ones; others are told as one of their own. */
const EMOJI: Readonly<Record<string, string>> = {
  APPLAUSE: "\u{1f44f}",
  CRY: "\u{1f622}",
  CheckMark: "\u2705",
  CrossMark: "\u274c",
  DONE: "\u2705",
  FINGERHEART: "\u{1faf0}",
  FIRE: "\u{1f525}",
  HEART: "\u2764\ufe0f",
  JIAYI: "\u{1f44d}",
  LAUGH: "\u{1f604}",
  LOL: "\u{1f602}",
  MUSCLE: "\u{1f4aa}",
  OK: "\u{1f44c}",
  PARTY: "\u{1f389}",
  SMILE: "\u{1f642}",
  THANKS: "\u{1f64f}",
  THINKING: "\u{1f914}",
  THUMBSUP: "\u{1f44d}",
  ThumbsDown: "\u{1f44e}",
};

/** @param event of `im.message.reaction.created_v1` */
export async function takeReaction(event: Wire, { account, inbox, me }: Taking): Promise<void> {
  const of = textOf(event["message_id"]);
  const person = isRecord(event["user_id"]) ? textOf(event["user_id"]["open_id"]) : undefined;
  const type = isRecord(event["reaction_type"]) ? (textOf(event["reaction_type"]["emoji_type"]) ?? "") : "";
  if (of === undefined || person === undefined || person === me.openId || event["operator_type"] !== "user") return;
  const to = account.people.placeOf(of);
  if (to === undefined) return;
  const emoji = Object.hasOwn(EMOJI, type) ? EMOJI[type] : undefined;
  const from = { id: person, kind: "person" } as const;
  await inbox.reacted({ origin: to, from, of, ...(emoji !== undefined && { emoji }) });
}
