/** The part of the fold that keeps what one conversation has set for itself; `null` takes a setting back. */
import type { JournalRecord } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";

export function configure(
  { agent, model, persona, clientTools, limits, stale, ...state }: SessionState,
  { type: _type, reset, ...changes }: Extract<JournalRecord, { type: "session.configured" }>,
): SessionState {
  const own = Object.entries({ agent, model, persona, clientTools, limits, ...changes });
  return {
    ...state,
    ...(Object.fromEntries(own.filter(([, value]) => value !== null && value !== undefined)) as Pick<
      SessionState,
      Own
    >),
    ...((reset || stale !== undefined) && { stale: "reset" as const }),
  };
}
type Own = "agent" | "model" | "persona" | "clientTools" | "limits";

/** What the prompt may hold depends on it: the next turn opens a new epoch. */
export function setAudience(
  { audience: _before, shareToldAt: _toldOthers, ...state }: SessionState,
  { audience }: Extract<JournalRecord, { type: "audience.set" }>,
): SessionState {
  return {
    ...state,
    ...(audience !== "owner" && { audience }),
    ...(state.prefix !== undefined && { stale: "reset" }),
  };
}
