/** What an earlier process may have left: the next one goes on with it. */
import type { SessionState } from "../contract/session.ts";
import { isOpenRelease } from "../lib/approval-choices.ts";

/** For memory: rows of a cleared context, or an answer that is not in the files. */
export function isUnfinished({ archive, answered }: SessionState): boolean {
  return archive.length > 0 || (answered !== undefined && answered.written !== true);
}

/** A process that starts has no reason to open it. */
export function isSettled(state: SessionState): boolean {
  const { turn, pending, outbox, releases = [] } = state;
  const isIdle = turn === undefined && pending.length === 0 && outbox.length === 0;
  return isIdle && !isUnfinished(state) && !releases.some(isOpenRelease);
}

/**
 * A fork is another conversation: what was allowed in the original is not allowed here, and what the original has in
 * hand (rows on their way to memory) it does itself, once.
 */
export function asCopy(state: SessionState): SessionState {
  const { grants: _grants, releases: _releases, answered, ...rest } = state;
  return { ...rest, ...(answered?.written === true && { answered }), archive: [] };
}

export function withoutLeftovers(state: SessionState): SessionState {
  const { unanswered: _unanswered, posted: _posted, skills: _skills, grants: _grants, ...rest } = state;
  return rest;
}

/** A request for a skill is met by its notice. */
export function withoutSkill(state: SessionState, name: string | undefined): SessionState {
  if (name === undefined || state.skills === undefined) return state;
  const { skills, ...rest } = state;
  const waiting = skills.filter((other) => other !== name);
  return { ...rest, ...(waiting.length > 0 && { skills: waiting }) };
}
