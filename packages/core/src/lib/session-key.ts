/** A chat, and its session. */
import type { Address } from "../contract/message.ts";

/** `channel:chat`, with the thread as a third part. */
export function sessionKeyOf(origin: Address): string {
  return `${origin.channel}:${origin.chat}${origin.thread === undefined ? "" : `:${origin.thread}`}`;
}

/** `channel:chat` split at the first colon: chat ids may hold colons. Without one: a chat of the command line. */
export function originOf(sessionKey: string): Address {
  const at = sessionKey.indexOf(":");
  return at < 0
    ? { channel: "cli", chat: sessionKey }
    : { channel: sessionKey.slice(0, at), chat: sessionKey.slice(at + 1) };
}

export function sameAddress(a: Address, b: Address): boolean {
  return a.channel === b.channel && a.chat === b.chat && a.thread === b.thread;
}

/** Of a chat, and a thread in it: no two have the same. */
export function chatOf({ channel, chat, thread }: Address): string {
  return [channel, chat, thread].join("\n");
}
