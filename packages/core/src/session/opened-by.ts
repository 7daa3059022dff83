/** Who may end what runs in a group. Pure. */
import type { Sender } from "../contract/message.ts";
import type { Role } from "../contract/people.ts";
import type { SessionState } from "../contract/session.ts";
import { isGroup } from "../lib/audience.ts";

/** A guest: only what they asked for themselves. */
export function mayStop({ audience, turn, messages, pending }: SessionState, by: Sender, role: Role): boolean {
  if (!isGroup(audience) || role !== "guest") return true;
  const waiting = pending.find(({ message }) => message.id === turn?.opening)?.message;
  const opening = waiting ?? messages.find((message) => message.role === "user" && message.id === turn?.opening);
  return opening?.role === "user" && opening.from.id === by.id;
}
