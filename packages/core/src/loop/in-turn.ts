/** The turn that a step of it belongs to. */
import type { Session, TurnState } from "../contract/session.ts";
import { RuntimeError } from "../lib/errors/errors.ts";

export function inTurn(session: Session): TurnState {
  if (session.state.turn === undefined)
    throw new RuntimeError("internal.bug", "A tool call was handled outside of a turn.");
  return session.state.turn;
}
