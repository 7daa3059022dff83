/** Who reads a conversation from now on, as records. */
import type { Audience } from "../contract/people.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";
import { PEOPLE_VERSION, RELEASE } from "../journal/upgrade.ts";

/** A margay that knows no persons would take a person's conversation for the owner's: it refuses to open it. */
export function audienceSet(audience: Audience): readonly JournalRecord[] {
  const set: JournalRecord = { type: "audience.set", audience };
  return audience === "owner" || audience === "guest"
    ? [set]
    : [{ type: "journal.raised", version: PEOPLE_VERSION, by: RELEASE }, set];
}

/** Nothing of it can be shown to anybody: it may become whoever's conversation. */
export function isUnused({ messages, pending, turn }: Pick<SessionState, "messages" | "pending" | "turn">): boolean {
  return messages.length === 0 && pending.length === 0 && turn === undefined;
}
