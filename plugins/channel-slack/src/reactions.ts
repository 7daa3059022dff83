/** What people put below a message of ours. Slack has names for them. */
import type { Taking } from "./account.ts";
import { isRecord, textOf, type Wire } from "./json.ts";

/** The usual ones; a workspace makes others, and they are nobody's words. */
const EMOJI: Readonly<Record<string, string>> = {
  "+1": "\u{1f44d}",
  thumbsup: "\u{1f44d}",
  "-1": "\u{1f44e}",
  thumbsdown: "\u{1f44e}",
  clap: "\u{1f44f}",
  confused: "\u{1f615}",
  cry: "\u{1f622}",
  eyes: "\u{1f440}",
  fire: "\u{1f525}",
  heart: "\u2764\ufe0f",
  joy: "\u{1f602}",
  ok_hand: "\u{1f44c}",
  pray: "\u{1f64f}",
  question: "\u2753",
  raised_hands: "\u{1f64c}",
  rocket: "\u{1f680}",
  smile: "\u{1f604}",
  tada: "\u{1f389}",
  thinking_face: "\u{1f914}",
  warning: "\u26a0\ufe0f",
  wave: "\u{1f44b}",
  white_check_mark: "\u2705",
  x: "\u274c",
};

/** @param event `reaction_added`. It does not say which thread the message stands in. */
export async function takeReaction(event: Wire, { account, inbox, me }: Taking): Promise<void> {
  const { item, user, reaction } = event;
  const { channel, ts } = isRecord(item) && item["type"] === "message" ? item : {};
  const [chat, at, who] = [textOf(channel), textOf(ts), textOf(user)];
  if (chat === undefined || at === undefined || who === undefined || who === me.user) return;
  if ((textOf(event["item_user"]) ?? me.user) !== me.user) return;
  // A skin tone is another sign behind it.
  const name = (textOf(reaction) ?? "").replace(/::skin-tone-\d$/, "");
  const emoji = Object.hasOwn(EMOJI, name) ? EMOJI[name] : undefined;
  await inbox.reacted({
    origin: { channel: account.id, chat },
    from: { id: who, kind: "person" },
    of: `${chat}:${at}`,
    ...(emoji !== undefined && { emoji }),
  });
}
