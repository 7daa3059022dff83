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

/** Calls of tools that would write into the memory: by the tool for it, or into its files. */
export function wouldRemember(key: string, tool: string, path: unknown): boolean {
  if (!isTemporary(key)) return false;
  if (tool === "remember") return true;
  if (tool !== "write_file" && tool !== "edit_file") return false;
  return /(?:^|[\\/])memory[\\/.]+(?:memory|history)\.md$/i.test(String(path ?? "").trim());
}

/** In place of when to remember. */
export const NOTHING_KEPT =
  "This chat is temporary: the user wants nothing of it kept. Write nothing of it to memory or to files unless they ask for a file; when they ask you to remember something, say that this chat cannot.";
