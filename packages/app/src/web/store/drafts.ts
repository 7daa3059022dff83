/** Unsent text per chat, kept in this browser; a new chat has one too. */

const PREFIX = "margay.draft.";

export function draftOf(session: string | undefined): string {
  return localStorage.getItem(PREFIX + (session ?? "new")) ?? "";
}

export function keepDraft(session: string | undefined, text: string): void {
  const key = PREFIX + (session ?? "new");
  if (text === "") localStorage.removeItem(key);
  else localStorage.setItem(key, text);
}
