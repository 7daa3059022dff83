/** The session of a chat. */
import type { Address } from "../contract/message.ts";

/** `channel:chat`, with the thread as a third part. */
export function sessionKeyOf(origin: Address): string {
  return `${origin.channel}:${origin.chat}${origin.thread === undefined ? "" : `:${origin.thread}`}`;
}
