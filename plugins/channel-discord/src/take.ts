/** One message, live or found later: read, accepted, and only then behind us. */
import type { Accepted, ChannelHost, ContentPart, ChannelInbox } from "@margay/core/plugin";
import type { Chats, Place } from "./chats.ts";
import { fetchFiles } from "./fetch-files.ts";
import { needed, textOf, type Wire } from "./json.ts";
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
  const { account, me, taken, signal } = taking;
  const { chats, host, settings } = account;
  const guild = textOf(data["guild_id"]);
  if (guild !== undefined && settings.guilds.length > 0 && !settings.guilds.includes(guild)) return;
  let channel: string;
  let key: string;
  let read: Read | undefined;
  try {
    channel = needed(data["channel_id"], "channel_id");
    key = needed(data["id"], "id");
    const ourRole = guild === undefined ? undefined : chats.ourRole(guild);
    read = readMessage(data, { me, guild, ourRole, nameOf: (id) => chats.nameOf(id) });
  } catch (error) {
    // A form of message that nobody foresaw: all the others come.
    host.deadLetter(JSON.stringify(data), error);
    return;
  }
  if (taken.has(key)) return;
  const place = await chats.placeOf(channel, guild, signal);
  if (read !== undefined) await accept(read, channel, place, taking);
  if (taken.size >= MAX_TAKEN) taken.clear();
  taken.add(key);
  await chats.note(channel, key, place);
}

async function accept(read: Read, channel: string, { parent }: Place, taking: Taking): Promise<void> {
  const { account, inbox, signal } = taking;
  const { text, files, ...facts } = read;
  const title = read.chat === "group" ? account.chats.nameOf(parent ?? channel) : undefined;
  const origin = { channel: account.id, chat: parent ?? channel, ...(parent !== undefined && { thread: channel }) };
  const isAdmitted = files.length === 0 || (await inbox.admits({ ...facts, origin }));
  const { media, lines } = await fetchFiles(files, account, isAdmitted, signal);
  const said = [text, ...lines].filter((line) => line !== "").join("\n");
  if (said === "" && media.length === 0) {
    account.host.log.warn("discord.no-content", {
      channel: account.id,
      message:
        "A message came without its text. Switch on MESSAGE CONTENT INTENT on the page Bot of the developer portal.",
    });
    return;
  }
  const parts: ContentPart[] = [...(said === "" ? [] : [{ type: "text", text: said } as const]), ...media];
  signal.throwIfAborted();
  const accepted = await inbox.accept({
    ...facts,
    origin,
    ...(title !== undefined && { title }),
    parts,
  });
  if (accepted.status === "refused") await answerRefused(accepted, read, channel, taking);
}

async function answerRefused(
  { reason, until, answer }: Extract<Accepted, { status: "refused" }>,
  { chat, key }: Read,
  channel: string,
  { account: { rest, host }, signal }: Taking,
): Promise<void> {
  // There will be room, or the stop is taken back: Discord keeps it.
  if (until !== undefined) throw host.fault("again", `${reason}. The message waits at Discord.`);
  if (answer === undefined || chat !== "private") return;
  await sayTo(channel, { content: answer, key: `refused:${key}` }, { rest, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    host.log.warn("discord.answer-failed", { message: error instanceof Error ? error.message : String(error) });
  });
}
