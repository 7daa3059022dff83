/** What people do by the means of Discord instead of writing: who did it, where, and how it is answered. */
import type { Address, Sender } from "@margay/core/plugin";
import { isRecord, needed, textOf, type Wire } from "./json.ts";
import { originOf, type Taking } from "./take.ts";

/** Numbers of Discord. */
const ANSWER = 4;
const NOTHING_TO_SAY = 6;
const FOR_THEM_ALONE = 64;
const MAX_CHARS = 2000;

export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly channel: string;
  readonly guild: string | undefined;
  readonly from: Sender;
  /** What was done. */
  readonly inner: Wire;
}

/** @throws TypeError for a form that nobody foresaw. */
export function interactionOf(data: Wire): Interaction {
  const member = isRecord(data["member"]) ? data["member"] : data;
  const user = isRecord(member["user"]) ? member["user"] : {};
  const name = textOf(user["global_name"]) ?? textOf(user["username"]);
  return {
    id: needed(data["id"], "id"),
    token: needed(data["token"], "token"),
    channel: needed(data["channel_id"], "channel_id"),
    guild: textOf(data["guild_id"]),
    from: { id: needed(user["id"], "user.id"), kind: "person", ...(name !== undefined && { name }) },
    inner: isRecord(data["data"]) ? data["data"] : {},
  };
}

export async function placeOf({ channel, guild }: Interaction, { account, signal }: Taking): Promise<Address> {
  return originOf(account, channel, await account.chats.placeOf(channel, guild, signal));
}

/** Within three seconds, or never: then who did it is told that nobody answered. @param content is read by them alone; undefined: there is nothing to say */
export async function answer(
  { id, token }: Interaction,
  content: string | undefined,
  { account: { rest, host }, signal }: Taking,
): Promise<void> {
  const data = { content: content?.slice(0, MAX_CHARS), flags: FOR_THEM_ALONE, allowed_mentions: { parse: [] } };
  const body = content === undefined ? { type: NOTHING_TO_SAY } : { type: ANSWER, data };
  await rest.call("POST", `/interactions/${id}/${token}/callback`, { signal, body }).catch((error: unknown) => {
    signal.throwIfAborted();
    host.log.debug("discord.press-unanswered", { message: error instanceof Error ? error.message : String(error) });
  });
}
