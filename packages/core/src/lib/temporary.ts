/**
 * Conversations of which nothing is kept when they are over. Their key says it, from the first record on: every reader sees
 * the key, also one that is written later.
 */

/** First word of the key. */
export const TEMPORARY = "temporary";

/** It, or a helper that it began: their keys hold the key of who began them. */
export function isTemporary(key: string): boolean {
  return /^(?:subagent:)*temporary:/.test(key);
}

/** Whether a conversation was begun by `key`, at whatever depth. */
export function isBegunBy(child: string, key: string): boolean {
  return child.startsWith("subagent:") && child.includes(`:${key}#`);
}
