/** What people put below a message of ours. */
import { isRecord, textOf, type Wire } from "./json.ts";
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
