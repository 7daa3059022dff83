/** The part of the fold that keeps what one conversation has set for itself; `null` takes a setting back. */
import type { JournalRecord } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";

export function configure(
  state: SessionState,
  record: Extract<JournalRecord, { type: "session.configured" }>,
): SessionState {
  const { model, persona, clientTools, limits, stale, ...rest } = state;
  const nextTools = record.clientTools === undefined ? clientTools : record.clientTools;
  const nextModel = record.model === undefined ? model : record.model;
  const nextLimits = record.limits === undefined ? limits : record.limits;
  const nextPersona = record.persona === undefined ? persona : record.persona;
  return {
    ...rest,
    ...(nextModel !== undefined && nextModel !== null && { model: nextModel }),
    ...(nextPersona !== undefined && nextPersona !== null && { persona: nextPersona }),
    ...(nextTools !== undefined && nextTools !== null && { clientTools: nextTools }),
    ...(nextLimits !== undefined && nextLimits !== null && { limits: nextLimits }),
    ...((record.reset || stale !== undefined) && { stale: "reset" as const }),
  };
}

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
