/** Ids of what we send: the same piece has the same one, however often it is sent (CH321). */
import { createHash } from "node:crypto";

const OURS = /^margay\.[A-Za-z0-9_-]{32}$/;

/**
 * @param channel Id of the channel, and
 * @param account its address: two accounts of one program never share an id.
 * @param key Of the piece of the reply, stable over attempts and restarts.
 */
export function messageIdOf(channel: string, account: string, key: string): string {
  // The separators keep "a" + "bc" and "ab" + "c" apart.
  const hash = createHash("sha256").update(`${channel}\0${account}\0${key}`).digest("base64url").slice(0, 32);
  return `margay.${hash}`;
}

/** Whether an id has our shape. A stranger can imitate it: it proves nothing. */
export function isOurs(id: string): boolean {
  return OURS.test(id);
}
