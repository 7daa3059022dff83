/** A chat, and its session. */
import type { Address } from "../contract/message.ts";

/** `channel:chat`, with the thread as a third part. */
export function sessionKeyOf(origin: Address): string {
  return `${origin.channel}:${origin.chat}${origin.thread === undefined ? "" : `:${origin.thread}`}`;
}

export function sameAddress(a: Address, b: Address): boolean {
  return a.channel === b.channel && a.chat === b.chat && a.thread === b.thread;
}
