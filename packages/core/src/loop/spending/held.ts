/** Tokens held back for requests under way: of all of them, and among those that only some budgets count. */
import type { SessionState } from "../../contract/session.ts";
import type { SpentRequest } from "../../contract/store.ts";
import { agentsIn } from "../../lib/audience.ts";
import { guestOf, isUnattended, personOf } from "../../session/spending.ts";

/** What a request is counted among. */
export type Places = Pick<SpentRequest, "unattended" | "guest" | "person" | "agent">;

export interface Held {
  readonly all: number;
  /** @param place `unattended`, `guests`, `guest` and the conversation, `person` and the id, `agent` and its name. */
  among(place: string): number;
  hold(state: SessionState, tokens: number, places: Places): void;
  /** @returns where it was held: who reads a conversation may have changed meanwhile. */
  release(state: SessionState, tokens: number, places: Places): Places;
}

export function placesOf(state: SessionState, purpose: string): Places {
  const guest = guestOf(state);
  const person = personOf(state);
  return {
    ...(isUnattended(purpose, state.unasked === true) && { unattended: true }),
    ...(guest !== undefined && { guest }),
    ...(person !== undefined && { person }),
    ...(state.bound !== undefined && { agent: state.bound.agent }),
  };
}

export function createHeld(): Held {
  let all = 0;
  const among = new Map<string, number>();
  const underWay = new Map<string, readonly Places[]>();
  const nameOf = ({ id }: SessionState, tokens: number): string => `${id} ${tokens}`;
  const add = ({ unattended, guest, person, agent }: Places, tokens: number): void => {
    all = Math.max(0, all + tokens);
    const places = [
      ...(unattended === true ? ["unattended"] : []),
      ...(guest === undefined ? [] : ["guests", `guest ${guest}`]),
      ...(person === undefined ? [] : [`person ${person}`]),
      ...(agent === undefined ? [] : agentsIn(agent).map((one) => `agent ${one}`)),
    ];
    for (const place of places) {
      const held = (among.get(place) ?? 0) + tokens;
      if (held > 0) among.set(place, held);
      else among.delete(place);
    }
  };
  return {
    get all() {
      return all;
    },
    among: (place) => among.get(place) ?? 0,
    hold: (state, tokens, places) => {
      add(places, tokens);
      const name = nameOf(state, tokens);
      underWay.set(name, [...(underWay.get(name) ?? []), places]);
    },
    release: (state, tokens, places) => {
      const name = nameOf(state, tokens);
      const [held = places, ...others] = underWay.get(name) ?? [];
      if (others.length > 0) underWay.set(name, others);
      else underWay.delete(name);
      add(held, -tokens);
      return held;
    },
  };
}
