/** A chat: as text, and its session. */
import type { Address } from "../contract/message.ts";

/** `channel:chat`, with the thread as a third part. */
export function sessionKeyOf(origin: Address): string {
  return `${origin.channel}:${origin.chat}${origin.thread === undefined ? "" : `:${origin.thread}`}`;
}

/** Of what is sent to a chat by its address alone: the conversation that it is a row of. */
export function rowKey(key: string, to: Address, sessionOf?: (said: { readonly origin: Address }) => string): string {
  return key === sessionKeyOf(to) ? (sessionOf?.({ origin: to }) ?? key) : key;
}

/** `channel:chat` split at the first colon: chat ids may hold colons. Without one: a chat of the command line. */
export function originOf(sessionKey: string): Address {
  const at = sessionKey.indexOf(":");
  return at < 0
    ? { channel: "cli", chat: sessionKey }
    : { channel: sessionKey.slice(0, at), chat: sessionKey.slice(at + 1) };
}

type AddressWords = Omit<Address, "thread"> & { readonly thread?: string | undefined };

/** The one form of an address that people and programs write: what would be read otherwise is percent-encoded. */
export function addressText({ channel, chat, thread }: AddressWords): string {
  const written = (id: string): string => id.replaceAll(/[%?\s]/g, encodeURIComponent);
  return `${channel}:${written(chat)}${thread === undefined ? "" : `?thread=${written(thread)}`}`;
}

/** @returns undefined: `text` is none. A chat id may hold colons. */
export function addressIn(text: string): Address | undefined {
  const [, channel, chat, thread] = /^([^:]+):(.+?)(?:\?thread=(.+))?$/s.exec(text) ?? [];
  if (channel === undefined || chat === undefined) return undefined;
  return { channel, chat: read(chat), ...(thread !== undefined && { thread: read(thread) }) };
}

function read(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id; // an id with a percent sign, as somebody has typed it
  }
}

type MessageChat = { readonly channel?: unknown; readonly chat_id?: unknown };

/** Where a call of `message` sends to, whatever a model has written: a thread is kept in the chat that it was made in. */
export function messageTo({ channel, chat_id: id }: MessageChat, origin: Address): Address {
  const named: Address = { channel: String(channel ?? origin.channel), chat: String(id ?? origin.chat) };
  const to = (id === undefined ? undefined : addressIn(`${named.channel}:${named.chat}`)) ?? named;
  return to.channel === origin.channel && to.chat === origin.chat && to.thread === undefined ? origin : to;
}

export function sameAddress(a: Address, b: Address): boolean {
  return a.channel === b.channel && a.chat === b.chat && a.thread === b.thread;
}

/** Of a chat, and a thread in it: no two have the same. */
export function chatOf({ channel, chat, thread }: Address): string {
  return [channel, chat, thread].join("\n");
}

/**
 * First word of the key of a conversation of which nothing is kept when it is over. The key says it from the first record on:
 * every reader sees it, also one that is written later.
 */
export const TEMPORARY = "temporary";

/** It, or a helper that it began: their keys hold the key of who began them. */
export function isTemporary(key: string): boolean {
  return /^(?:subagent:)*temporary:/.test(key);
}

/** Whether a conversation was begun by `key`, at whatever depth. */
export function isBegunBy(child: string, key: string): boolean {
  return child.startsWith("subagent:") && child.includes(`:${key}#`);
}
