/** What people put below a message of ours, and we below theirs. */
import type { Channel } from "@margay/core/plugin";
import { Refusal } from "./errors.ts";
import { faultOf } from "./faults.ts";
import { isRecord, textOf, type Wire } from "./json.ts";
import type { Sender } from "./send.ts";
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

/** In place of those that Feishu has not. */
const USUAL = "Typing";
/** No such message, taken back, its chat is gone; it was taken away before. */
const GONE = [230_001, 230_011, 230_110, 231_003, 231_004, 231_005, 231_010, 231_011];

/** Feishu says neither its chat nor its author: both are known of what was sent in this run. @param event of `im.message.reaction.created_v1` */
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

/** Those whose ids are known; of others they are asked. */
const KEPT = 1000;

/** One of ours below a message, or none. What throws is a fault. */
export function reacting({ api, host }: Pick<Sender, "api" | "host">): NonNullable<Channel["react"]> {
  const ids = new Map<string, string>();
  return async (of, emoji, isOn, _to, signal) => {
    const path = `/im/v1/messages/${encodeURIComponent(of)}/reactions`;
    const tell = async (method: "POST" | "DELETE", to: string, body?: Wire): Promise<Wire> => {
      try {
        const { data } = await api.call(method, to, { signal, ...(body !== undefined && { body }) });
        return isRecord(data) ? data : {};
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Refusal && GONE.includes(error.code)) return {};
        throw faultOf(error, host);
      }
    };
    const known = `${of} ${emoji}`;
    // Who puts the same one twice has it once, and is told its id again.
    const put = async (): Promise<string | undefined> =>
      textOf((await tell("POST", path, { reaction_type: { emoji_type: typeOf(emoji) } }))["reaction_id"]);
    const id = (isOn ? undefined : ids.get(known)) ?? (await put());
    if (isOn) {
      if (ids.size >= KEPT) ids.clear();
      if (id !== undefined) ids.set(known, id);
    } else if (id !== undefined) {
      await tell("DELETE", `${path}/${encodeURIComponent(id)}`);
      ids.delete(known);
    }
  };
}

function typeOf(emoji: string): string {
  const plain = (text: string): string => text.replaceAll("\ufe0f", "");
  return Object.entries(EMOJI).find(([, one]) => plain(one) === plain(emoji))?.[0] ?? USUAL;
}
