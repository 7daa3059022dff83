/** What people put below a message of ours, and we below theirs. */
import type { Channel } from "@margay/core/plugin";
import { faultOf } from "./faults.ts";
import { isRecord, textOf, type Wire } from "./json.ts";
import { Refusal } from "./rest.ts";
import { channelOf, type Sender } from "./send.ts";
import { originOf, type Taking } from "./take.ts";

/** @param data of MESSAGE_REACTION_ADD */
export async function takeReaction(data: Wire, { account, inbox, me, signal }: Taking): Promise<void> {
  const { chats, settings } = account;
  const [channel, of, user] = [textOf(data["channel_id"]), textOf(data["message_id"]), textOf(data["user_id"])];
  const guild = textOf(data["guild_id"]);
  if (channel === undefined || of === undefined || user === undefined || user === me) return;
  if (guild !== undefined && settings.guilds.length > 0 && !settings.guilds.includes(guild)) return;
  // Whose it is Discord says by now; where it does not, the host knows.
  if ((textOf(data["message_author_id"]) ?? me) !== me) return;
  const member = isRecord(data["member"]) && isRecord(data["member"]["user"]) ? data["member"]["user"] : {};
  const reaction = isRecord(data["emoji"]) ? data["emoji"] : {};
  // One with an id somebody has made.
  const emoji = textOf(reaction["id"]) === undefined ? textOf(reaction["name"]) : undefined;
  await inbox.reacted({
    origin: originOf(account, channel, await chats.placeOf(channel, guild, signal)),
    from: { id: user, kind: "person", ...(member["bot"] === true && { bot: true }) },
    of,
    ...(emoji !== undefined && { emoji }),
  });
}

const UNKNOWN_MESSAGE = 10_008;
const UNKNOWN_EMOJI = 10_014;

/** One of ours below a message, or none. What throws is a fault. */
export function reacting({ rest, host }: Pick<Sender, "rest" | "host">): NonNullable<Channel["react"]> {
  return async (of, emoji, isOn, to, signal) => {
    if (!/^\d{15,20}$/.test(of)) return; // a command of Discord is no message
    const path = `/channels/${channelOf(to, host)}/messages/${of}/reactions/${encodeURIComponent(emoji)}/@me`;
    try {
      await rest.call(isOn ? "PUT" : "DELETE", path, { signal });
    } catch (error) {
      signal.throwIfAborted();
      const gone = isOn ? [UNKNOWN_MESSAGE] : [UNKNOWN_MESSAGE, UNKNOWN_EMOJI];
      if (!(error instanceof Refusal) || !gone.includes(error.code)) throw faultOf(error, host);
    }
  };
}
