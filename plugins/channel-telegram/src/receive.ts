/** Reads what people write: one poll after the other, each update taken in order, the cursor behind what was accepted. */
import type { ChannelHost, ChannelInbox, ContentPart } from "@margay/core/plugin";
import type { ApiMethods, Message, Update } from "grammy/types";
import { albumOf, type Item, itemsOf, messagesOf } from "./albums.ts";
import type { Api } from "./api.ts";
import type { Drafts } from "./drafts.ts";
import type { Me } from "./addressed.ts";
import { takeReaction } from "./reactions.ts";
import { takePress } from "./buttons.ts";
import { faultOf } from "./faults.ts";
import { readMessage, type Read } from "./message.ts";
import { ownChat, rememberMove } from "./moved.ts";

export interface Account {
  readonly id: string;
  readonly api: Api;
  readonly host: ChannelHost;
  readonly drafts: Drafts;
}

type Wanted = NonNullable<NonNullable<Parameters<ApiMethods["getUpdates"]>[0]>["allowed_updates"]>;

const WANTED: Wanted = [
  "message",
  "edited_message",
  "callback_query",
  "my_chat_member",
  "message_reaction",
  "stopped_message_generation",
];
const POLL_SECONDS = 50;
/** A poll that says nothing for longer is dead. */
const POLL_MS = (POLL_SECONDS + 15) * 1000;
/** Most updates of one answer. */
const LIMIT = 100;
/** Parts of an album come one by one: so long after the last of them there are no more, and no album takes longer. */
const ALBUM_MS = 1500;
const MAX_ALBUM_MS = 10_000;
const DAY_MS = 86_400_000;

/** Until aborted. @throws a fault; what `inbox.accept` throws: the update is offered again. */
export async function receive(account: Account, inbox: ChannelInbox, signal: AbortSignal): Promise<void> {
  const { api, host } = account;
  try {
    const me = await api.call("getMe", {}, { signal });
    for (const prefix of ["album-", "sent-"]) await host.state.forget(prefix, host.clock.now() - DAY_MS);
    let offset = cursorOf(host);
    // The first one does not wait: that it is answered says that all is well.
    for (let seconds = 0; ; seconds = POLL_SECONDS) {
      const updates = await poll(account, offset, seconds, signal);
      if (seconds === 0) host.up(`@${me.username}`);
      const batch = await withWholeAlbums(account, offset, updates, signal);
      for (const item of itemsOf(batch, (album) => partsOf(host, album))) {
        signal.throwIfAborted();
        await take(item, account, me, inbox, signal);
        offset = item.next;
        await host.state.setCursor(offset);
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host);
  }
}

function cursorOf({ state }: ChannelHost): number | undefined {
  const saved = state.cursor();
  return typeof saved === "number" ? saved : undefined;
}

async function poll(
  { api }: Account,
  offset: number | undefined,
  seconds: number,
  signal: AbortSignal,
): Promise<readonly Update[]> {
  const updates = await api.call(
    "getUpdates",
    { ...(offset !== undefined && { offset }), limit: LIMIT, timeout: seconds, allowed_updates: WANTED },
    { signal, timeoutMs: POLL_MS },
  );
  return updates.toSorted((a, b) => a.update_id - b.update_id);
}

/** Asked again from the same place, which confirms nothing: a part that is still to come is in the next answer. */
async function withWholeAlbums(
  account: Account,
  offset: number | undefined,
  updates: readonly Update[],
  signal: AbortSignal,
): Promise<readonly Update[]> {
  let found = updates;
  if (!found.some((update) => albumOf(update) !== undefined)) return found;
  for (let waited = 0; waited < MAX_ALBUM_MS && found.length < LIMIT; waited += ALBUM_MS) {
    await account.host.clock.sleep(ALBUM_MS, signal);
    const again = await poll(account, offset, 0, signal);
    const isWhole = again.length <= found.length;
    // Less than before is no answer to this.
    found = again.length < found.length ? found : again;
    if (isWhole) break;
  }
  return found;
}

function partsOf({ state }: ChannelHost, album: string): readonly number[] | undefined {
  const saved = state.value(album);
  return Array.isArray(saved) ? saved.filter((id) => typeof id === "number") : undefined;
}

async function take(item: Item, account: Account, me: Me, inbox: ChannelInbox, signal: AbortSignal): Promise<void> {
  const { host } = account;
  const [update] = item.updates;
  if (update.callback_query !== undefined) return takePress(update.callback_query, account, inbox, signal);
  if (update.message_reaction !== undefined) return takeReaction(update.message_reaction, account, inbox);
  const { stopped_message_generation: stopped } = update;
  if (stopped !== undefined) return account.drafts.stopped(stopped, account.id, inbox);
  if (update.my_chat_member !== undefined) return tellMembership(update.my_chat_member, host);
  const { edited_message: edited } = update;
  const [first, ...more] = edited === undefined ? messagesOf(item) : [edited];
  if (first === undefined) return;
  await noteMove(first, host);
  let read: Read | undefined;
  try {
    read = readMessage([first, ...more], me);
  } catch (error) {
    // A form of message that nobody foresaw: all the others come.
    host.deadLetter(JSON.stringify(item.updates), error);
    return;
  }
  if (read === undefined) return;
  // Known before it is accepted: when it is offered again, with a part more, it is the same album and that part another message.
  if (item.album !== undefined && partsOf(host, item.album) === undefined)
    await host.state.setValue(
      item.album,
      [first, ...more].map(({ message_id: id }) => id),
    );
  await accept(read, edited, account, inbox, signal);
}

/** @param edited the message as it is now, when its author has changed it */
async function accept(
  read: Read,
  edited: Message | undefined,
  account: Account,
  inbox: ChannelInbox,
  signal: AbortSignal,
): Promise<void> {
  const { id, api, host } = account;
  const { chatId, thread, text, files, ...facts } = read;
  const origin = { channel: id, chat: ownChat(host, chatId), ...(thread !== undefined && { thread }) };
  // Of an album one part is told: its pictures are known.
  const isPart = edited?.media_group_id !== undefined;
  const parts: ContentPart[] = text === "" ? [] : [{ type: "text", text }];
  const message = { ...facts, origin, parts, ...(!isPart && files.length > 0 && { files }) };
  const { key, sentAt: _sentAt, ...change } = message;
  const accepted =
    edited === undefined
      ? await inbox.accept(message)
      : await inbox.edited({
          ...change,
          key: `${key}:${edited.edit_date ?? 0}`,
          edits: key,
          ...(isPart && { media: "kept" }),
        });
  if (accepted.status !== "refused") return;
  const say = (text: string): Promise<unknown> =>
    api.call("sendMessage", { chat_id: Number(chatId), text }, { signal });
  await host.refused(accepted, { chat: read.chat, where: "at Telegram", say, signal });
}

/** Both chats are told, of each other. */
async function noteMove(message: Message, host: ChannelHost): Promise<void> {
  const { chat, migrate_to_chat_id: to, migrate_from_chat_id: from } = message;
  if (to !== undefined) await rememberMove(host, String(chat.id), String(to));
  if (from !== undefined) await rememberMove(host, String(from), String(chat.id));
}

function tellMembership(change: NonNullable<Update["my_chat_member"]>, { log }: ChannelHost): void {
  const { chat, from, new_chat_member: member } = change;
  log.info("telegram.membership", { chat: String(chat.id), by: String(from.id), status: member.status });
}
