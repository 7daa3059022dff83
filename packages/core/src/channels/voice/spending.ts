/** What of the budgets speech asks. */
import type { Usage } from "../../contract/message.ts";
import type { SpokenTo } from "../../contract/bus.ts";
import type { SessionState } from "../../contract/session.ts";

export interface Spending {
  /** @returns undefined: there is room, and it is booked until `settle`. */
  reserve(state: SessionState, tokens: number, purpose: string): unknown;
  settle(state: SessionState, tokens: number, usage: Usage, purpose: string): void;
}

/** In a group whoever spoke pays, and not who opened the turn that runs by now. */
export function paidBy(state: SessionState, { speaker }: SpokenTo): SessionState & SpokenTo {
  return speaker === undefined ? state : { ...state, speaker };
}
