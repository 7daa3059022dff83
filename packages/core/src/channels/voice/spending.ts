/** What of the budgets speech asks. */
import type { Usage } from "../../contract/message.ts";
import type { SessionState } from "../../contract/session.ts";

export interface Spending {
  /** @returns undefined: there is room, and it is booked until `settle`. */
  reserve(state: SessionState, tokens: number, purpose: string): unknown;
  settle(state: SessionState, tokens: number, usage: Usage, purpose: string): void;
}
