import type { SessionState } from "../contract/session.ts";

/** Nothing of it can be shown to anybody: it may become whoever's conversation. */
export function isUnused({ messages, pending, turn }: Pick<SessionState, "messages" | "pending" | "turn">): boolean {
  return messages.length === 0 && pending.length === 0 && turn === undefined;
}
