/** One message, live or found later: read, accepted, and only then behind us. */
import type { Address, ChannelHost, ContentPart, ChannelInbox } from "@margay/core/plugin";
import type { Chats, Place } from "./chats.ts";
import { isRecord, needed, textOf, type Wire } from "./json.ts";
import { type Read, readMessage } from "./message.ts";
import type { Rest } from "./rest.ts";
import { sayTo } from "./send.ts";
import type { Settings } from "./settings.ts";

/** One bot of the configuration, at work. */
export interface Account {
  readonly id: string;
  readonly settings: Settings;
  readonly rest: Rest;
  readonly chats: Chats;
  readonly host: ChannelHost;
}

/** One connection, and whom it speaks for. */
export interface Taking {
  readonly account: Account;
  readonly inbox: ChannelInbox;
  readonly signal: AbortSignal;
  /** Our id. */
  readonly me: string;
  /** Messages that were taken on this connection: they come live and from the history. */
  readonly taken: Set<string>;
}

const MAX_TAKEN = 5000;

/** @throws a fault, or what `inbox.accept` throws: it is to be offered again. */
export async function takeMessage(data: Wire, taking: Taking): Promise<void> {
  const { taken, account, signal } = taking;
  const found = readAt(data, taking);
  if (found === undefined || taken.has(found.key)) return;
  const { channel, key, guild, read } = found;
  const place = await account.chats.placeOf(channel, guild, signal);
  if (read !== undefined) await offer(read, undefined, channel, place, taking);
  if (taken.size >= MAX_TAKEN) taken.clear();
  taken.add(key);
  await account.chats.note(channel, key, place);
}

/** Its author has changed it. Discord tells as much when it has looked at an address: nothing was changed then. @throws as {@link takeMessage}. */
export async function takeEdit(data: Wire, taking: Taking): Promise<void> {
  const { account, signal } = taking;
  const at = textOf(data["edited_timestamp"]);
  if (at === undefined || !isRecord(data["author"])) return;
  const found = readAt(data, taking);
  if (found?.read === undefined) return;
  const { channel, guild, read } = found;
  await offer(read, at, channel, await account.chats.placeOf(channel, guild, signal), taking);
}

/** One message, or many at once. Who took it away Discord does not say: its author, or who may there. */
export async function takeDeletion(data: Wire, { account, inbox, signal }: Taking): Promise<void> {
  const channel = textOf(data["channel_id"]);
  if (channel === undefined) return;
  const ids = [data["id"], ...(Array.isArray(data["ids"]) ? data["ids"] : [])].flatMap((id) => textOf(id) ?? []);
  const place = await account.chats.placeOf(channel, textOf(data["guild_id"]), signal);
  for (const of of ids) await inbox.removed({ of, origin: originOf(account, channel, place) });
}

/** Undefined: it is of no server that we work in, or nobody can read it. */
function readAt(
  data: Wire,
  { account, me }: Taking,
):
  | {
      readonly channel: string;
      readonly key: string;
      readonly guild: string | undefined;
      readonly read: Read | undefined;
    }
  | undefined {
  const { chats, host, settings } = account;
  const guild = textOf(data["guild_id"]);
  if (guild !== undefined && settings.guilds.length > 0 && !settings.guilds.includes(guild)) return undefined;
  try {
    const channel = needed(data["channel_id"], "channel_id");
    const key = needed(data["id"], "id");
    const ourRole = guild === undefined ? undefined : chats.ourRole(guild);
    return { channel, key, guild, read: readMessage(data, { me, guild, ourRole, nameOf: (id) => chats.nameOf(id) }) };
  } catch (error) {
    // A form of message that nobody foresaw: all the others come.
    host.deadLetter(JSON.stringify(data), error);
    return undefined;
  }
}

export function originOf({ id }: Account, channel: string, { parent }: Place): Address {
  return { channel: id, chat: parent ?? channel, ...(parent !== undefined && { thread: channel }) };
}

/** @param edited when its author has changed it; undefined: it is new */
async function offer(
  read: Read,
  edited: string | undefined,
  channel: string,
  place: Place,
  taking: Taking,
): Promise<void> {
  const { account, inbox, signal } = taking;
  const { text, ...facts } = read;
  const title = read.chat === "group" ? account.chats.nameOf(place.parent ?? channel) : undefined;
  const origin = originOf(account, channel, place);
  const parts: ContentPart[] = text === "" ? [] : [{ type: "text", text }];
  if (parts.length + read.files.length === 0) {
    account.host.log.warn("discord.no-content", {
      channel: account.id,
      message:
        "A message came without its text. Switch on MESSAGE CONTENT INTENT on the page Bot of the developer portal.",
    });
    return;
  }
  const message = { ...facts, origin, ...(title !== undefined && { title }), parts };
  signal.throwIfAborted();
  const { key, sentAt: _, ...change } = message;
  const accepted =
    edited === undefined
      ? await inbox.accept(message)
      : await inbox.edited({ ...change, key: `${key}:${edited}`, edits: key });
  if (accepted.status !== "refused") return;
  const { rest, host } = account;
  const say = (content: string): Promise<string> =>
    sayTo(channel, { content, key: `refused:${key}` }, { rest, signal });
  await host.refused(accepted, { chat: read.chat, where: "at Discord", say, signal });
}
