/** A session's key says where its replies go. */
import type { Address } from "../contract/message.ts";

/** `channel:chat` split at the first colon: chat ids may hold colons. Without one: a chat of the command line. */
export function originOf(sessionKey: string): Address {
  const at = sessionKey.indexOf(":");
  return at < 0
    ? { channel: "cli", chat: sessionKey }
    : { channel: sessionKey.slice(0, at), chat: sessionKey.slice(at + 1) };
}
