/** Message-IDs of ours: the same reply has the same one, however often it is sent (CH216). */
import { createHash } from "node:crypto";

const OURS = /^<margay\.[A-Za-z0-9_-]{32}@([^<>\s@]+)>$/;

/**
 * @param channel Id of the channel: two accounts of one program never share an id.
 * @param key Of the piece of the reply, stable over attempts and restarts.
 * @param domain Of our address.
 */
export function messageIdOf(channel: string, key: string, domain: string): string {
  // The separator keeps "a" + "bc" and "ab" + "c" apart.
  const hash = createHash("sha256").update(`${channel}\0${key}`).digest("base64url").slice(0, 32);
  return `<margay.${hash}@${domain.trim().toLowerCase()}>`;
}

/** Whether an id has our shape, and our domain where one is given. A stranger can imitate it: it proves nothing. */
export function isOurs(messageId: string, domain?: string): boolean {
  const [, found] = OURS.exec(messageId.trim()) ?? [];
  return found !== undefined && (domain === undefined || found.toLowerCase() === domain.trim().toLowerCase());
}
