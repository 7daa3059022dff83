/** One piece of a reply → its card, then its files; and what was sent, said anew. */
import { createHash } from "node:crypto";
import type { Address, ChannelHost, OutboundPiece } from "@margay/core/plugin";
import type { Api } from "./api.ts";
import { bytesOf, cardOf, type Message, postOf, textOnly, type Words, wordsOf } from "./cards.ts";
import type { Chats } from "./chats.ts";
import { NoAnswer, Refusal } from "./errors.ts";
import { faultOf, isBadCard } from "./faults.ts";
import { isOfFile, upload } from "./files.ts";
import { isRecord, textOf, type Wire } from "./json.ts";
import type { People } from "./people.ts";
import type { Settings } from "./settings.ts";
import type { StreamCards } from "./streams.ts";

export interface Sender {
  readonly api: Api;
  readonly chats: Chats;
  readonly people: People;
  readonly host: ChannelHost;
  readonly settings: Settings;
  readonly streams: StreamCards;
}

/** Where it goes. `key`: the same key is the same message. */
interface Aim {
  readonly to: Address;
  readonly key: string;
  /** The message that it answers. */
  readonly quote?: string | undefined;
}

/** Of a card, or a post, as the request holds it. */
const CARD_BYTES = 30_000;
const NO_CARD = 230_001;
const OTHER_TYPE = 230_054;
/** What was to be answered: no such message, taken back, deleted. */
const NOT_THERE = [230_001, 230_011, 230_110];

/** @returns the id of its first message. @throws a fault. */
export async function sendPiece(
  piece: OutboundPiece,
  sender: Sender,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { reply, parts, to, actions = [] } = piece;
  const words = wordsOf(piece);
  const media = parts.filter((part) => part.type === "media");
  try {
    signal.throwIfAborted();
    let first: string | undefined;
    if (words.text.trim() !== "" || actions.length > 0)
      first = await say(words, { to, key: reply, quote: piece.quote }, sender, signal, {
        actions,
        isCard: piece.live === true,
      });
    for (const [index, part] of media.entries()) {
      const aim = { to, key: `${reply}\n${index}` };
      const message = await upload(part, sender, signal).catch((error: unknown) => {
        if (!isOfFile(error)) throw error;
        sender.host.log.warn("feishu.file-refused", { name: part.name ?? "", message: error.message });
        const megabytes = (part.blob.bytes / 1_000_000).toFixed(1);
        return postOf(`[${part.name ?? "A file"} (${megabytes} MB) could not be sent: ${error.message}]`);
      });
      const id = await post(message, aim, sender, signal);
      first ??= id;
    }
    return first;
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, sender.host);
  }
}

/** The message says something else from now on; without actions its buttons go. @throws a fault. */
export async function editPiece(
  platformId: string,
  piece: OutboundPiece,
  { api, host, streams }: Sender,
  signal: AbortSignal,
): Promise<void> {
  const words = wordsOf(piece);
  const path = `/im/v1/messages/${encodeURIComponent(platformId)}`;
  const { content } = cardOf(words, piece.actions, piece.to.thread);
  try {
    if (await streams.edit(platformId, piece, words, signal)) return;
    await api.call("PATCH", path, { signal, body: { content: JSON.stringify(content) } }).catch((error: unknown) => {
      if (!isNoCard(error)) throw error;
      const plain = postOf(words.type === "markdown" ? words.plain : words.text);
      return api.call("PUT", path, { signal, body: bodyOf(plain) });
    });
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host);
  }
}

interface Looks {
  readonly actions?: OutboundPiece["actions"];
  /** Whatever it says: a post can never become a card. */
  readonly isCard?: boolean;
}

/** A card where words have marks or buttons, and a post where they have none. @throws Refusal, NoAnswer, a fault. */
export async function say(
  words: Words,
  aim: Aim,
  sender: Sender,
  signal: AbortSignal,
  { actions = [], isCard = false }: Looks = {},
): Promise<string> {
  const plain = words.type === "markdown" ? words.plain : words.text;
  const bare = (): Promise<string> => {
    const message = postOf(plain);
    return post(bytesOf(message) > CARD_BYTES ? textOnly(plain) : message, aim, sender, signal);
  };
  if (words.type === "plain" && actions.length === 0 && !isCard) return bare();
  const card = cardOf(words, actions, aim.to.thread);
  if (bytesOf(card) > CARD_BYTES) return bare();
  const stream = isCard ? await sender.streams.open(words, aim.key, signal) : undefined;
  if (stream !== undefined)
    try {
      const id = await post(stream, aim, sender, signal);
      await sender.streams.sent(id, aim.key);
      return id;
    } catch (error) {
      if (!isBadCard(error)) throw error; // shown before, too old: then it is a card of its own
    }
  return post(card, aim, sender, signal).catch((error: unknown) => {
    // Of what has marks the host knows the words without them.
    if (words.type === "markdown" || !isBadCard(error)) throw error;
    return bare();
  });
}

async function post(message: Message, aim: Aim, sender: Sender, signal: AbortSignal): Promise<string> {
  const { api, people, settings, host } = sender;
  const body = { ...bodyOf(message), uuid: uuidOf(aim.key) };
  const { id, type } = receiverOf(aim.to, host);
  const inThread = type === "thread" && { reply_in_thread: true };
  const answering = (to: string): Promise<Wire> =>
    api.call("POST", `/im/v1/messages/${to}/reply`, { signal, body: { ...body, ...inThread } });
  const plainly = (): Promise<Wire> =>
    type === "thread"
      ? answering(id)
      : api.call("POST", "/im/v1/messages", {
          signal,
          query: { receive_id_type: type },
          body: { ...body, receive_id: id },
        });
  const isMessage = /^om_[\w-]{1,64}$/.test(aim.quote ?? "");
  const answer = await (isMessage && aim.quote !== undefined ? answering(aim.quote) : plainly()).catch(
    (error: unknown) => {
      // What is gone by now is no reason not to say it.
      if (!isMessage || !(error instanceof Refusal) || !NOT_THERE.includes(error.code)) throw error;
      return plainly();
    },
  );
  const data = isRecord(answer["data"]) ? answer["data"] : {};
  const sent = textOf(data["message_id"]);
  if (sent === undefined) throw new NoAnswer("the answer names no message", "maybe");
  people.wrote(sent, { author: settings.appId, files: [] });
  people.sent(sent, aim.to);
  if (type === "open_id" || type === "union_id") await noteSent(sent, data, sender);
  return sent;
}

/** A chat with somebody that we open is one to ask for what was missed, too. */
async function noteSent(id: string, { chat_id: chat, create_time: at }: Wire, { chats }: Sender): Promise<void> {
  const found = textOf(chat);
  if (found === undefined || chats.kept().has(found)) return;
  await chats.note({ id, at: Number(at ?? 0) || 0 }, new Map([[found, { chat: found, isPrivate: true }]]));
}

type Receiver = "chat_id" | "open_id" | "union_id" | "thread";

function receiverOf({ chat, thread }: Address, host: ChannelHost): { readonly id: string; readonly type: Receiver } {
  const id = thread ?? chat;
  const prefix = /^(oc|ou|on|om)_[\w-]{1,64}$/.exec(id)?.[1];
  const types: Readonly<Record<string, Receiver>> = { oc: "chat_id", ou: "open_id", on: "union_id" };
  const type = thread === undefined ? types[prefix ?? ""] : prefix === "om" ? "thread" : undefined;
  if (type === undefined)
    throw host.fault("gone", `${id} is no chat of Feishu. Write to the id of a chat (oc_…) or of a person (ou_…).`, {
      sent: "no",
    });
  return { id, type };
}

function bodyOf({ msg_type, content }: Message): { readonly msg_type: string; readonly content: string } {
  return { msg_type, content: JSON.stringify(content) };
}

/** By it Feishu knows a second identical send, for an hour. It takes 50 characters. */
export function uuidOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}

function isNoCard(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  return error.code === OTHER_TYPE || (error.code === NO_CARD && /not a card/i.test(error.message));
}
