/** Somebody pressed a button of ours. */
import type { ChannelInbox } from "@margay/core/plugin";
import { BUTTON } from "./buttons.ts";
import { isRecord, needed, textOf, type Wire } from "./json.ts";
import type { Taking } from "./take.ts";

/** Numbers of Discord. */
const MESSAGE_COMPONENT = 3;
const ANSWER = 4;
const NOTHING_TO_SAY = 6;
const FOR_THEM_ALONE = 64;

interface Press {
  readonly id: string;
  readonly token: string;
  readonly channel: string;
  readonly guild: string | undefined;
  readonly button: string;
  readonly from: Parameters<ChannelInbox["press"]>[0]["from"];
}

/** What it did is said by the message itself; who may not press, or comes late, is told alone. @throws what `press` throws. */
export async function takePress(data: Wire, { account, inbox, signal }: Taking): Promise<void> {
  const { chats, host, rest } = account;
  let press: Press | undefined;
  try {
    press = pressOf(data);
  } catch (error) {
    host.deadLetter(JSON.stringify(data), error);
  }
  if (press === undefined) return;
  const { id, token, channel, guild, button, from } = press;
  const { parent } = await chats.placeOf(channel, guild, signal);
  const origin = { channel: account.id, chat: parent ?? channel, ...(parent !== undefined && { thread: channel }) };
  const pressed = await inbox.press({ key: `press:${id}`, token: button, from, origin });
  const body =
    pressed.status === "done"
      ? { type: NOTHING_TO_SAY }
      : { type: ANSWER, data: { content: pressed.text, flags: FOR_THEM_ALONE, allowed_mentions: { parse: [] } } };
  await rest.call("POST", `/interactions/${id}/${token}/callback`, { signal, body }).catch((error: unknown) => {
    signal.throwIfAborted();
    host.log.debug("discord.press-unanswered", { message: error instanceof Error ? error.message : String(error) });
  });
}

/** Undefined: something else than a button. @throws TypeError for a form that nobody foresaw. */
function pressOf(data: Wire): Press | undefined {
  const inner = isRecord(data["data"]) ? data["data"] : {};
  if (data["type"] !== MESSAGE_COMPONENT || inner["component_type"] !== BUTTON) return undefined;
  const member = isRecord(data["member"]) ? data["member"] : data;
  const user = isRecord(member["user"]) ? member["user"] : {};
  const name = textOf(user["global_name"]) ?? textOf(user["username"]);
  return {
    id: needed(data["id"], "id"),
    token: needed(data["token"], "token"),
    channel: needed(data["channel_id"], "channel_id"),
    guild: textOf(data["guild_id"]),
    button: needed(inner["custom_id"], "custom_id"),
    from: { id: needed(user["id"], "user.id"), kind: "person", ...(name !== undefined && { name }) },
  };
}
