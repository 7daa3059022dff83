/** A turn ends with the settings it began with; a change applies from the next one on. */
import type { Session, SessionState } from "../../contract/session.ts";
import { limited } from "../../context/window.ts";
import type { LoopDeps } from "../deps.ts";

/** @param current What a session of this state works with now. */
export function pinPerTurn(current: (state: SessionState) => LoopDeps): (session: Session) => LoopDeps {
  const pinned = new WeakMap<Session, { readonly turn: string | undefined; readonly deps: LoopDeps }>();
  return (session) => {
    const turn = session.state.turn?.id;
    const known = pinned.get(session);
    // What was read for opening the turn is what the turn keeps.
    if (known !== undefined && turn !== undefined && (known.turn === turn || known.turn === undefined)) {
      if (known.turn === undefined) pinned.set(session, { turn, deps: known.deps });
      return known.deps;
    }
    const given = current(session.state);
    const deps = { ...given, settings: limited(given.settings, session.state.limits) };
    pinned.set(session, { turn, deps });
    return deps;
  };
}
