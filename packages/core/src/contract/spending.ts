// What requests cost, by who asked for them, and how much they may.
import type { Millis, SessionId } from "./base.ts";
import type { ModelRef, Usage } from "./message.ts";
import type { PersonId } from "./people.ts";

/** A request that was paid for. */
export interface SpentRequest {
  readonly at: Millis;
  /** The channel of its session. */
  readonly source: string;
  /** Absent where the record does not say it. */
  readonly model?: ModelRef;
  /** `turn`, `compaction`, `memory`, or what a side request was for: `heartbeat`, `greeting`. */
  readonly purpose: string;
  /** No person asked for it. */
  readonly unattended?: true;
  /** The conversation, as `channel:chat`, when a guest read along. */
  readonly guest?: string;
  /** The person beside the owner who read it. */
  readonly person?: PersonId;
  /** As `BoundAgent.agent`. */
  readonly agent?: string;
  readonly usage: Usage;
  /** How many were put together here. Default: 1. */
  readonly requests?: number;
}

/** `opened`: of its first commit. An id is used again when a conversation of the same key begins. */
export interface GoneSession {
  readonly id: SessionId;
  readonly key: string;
  readonly opened: Millis;
  readonly spent: readonly SpentRequest[];
}

/** What a request is counted among. */
export type Places = Pick<SpentRequest, "source" | "unattended" | "guest" | "person" | "agent">;

/** How much may be used since a time of what is counted in all these places. Without any: of everything. */
export interface Limit {
  readonly since: Millis;
  readonly source?: string;
  readonly unattended?: true;
  /** Of one conversation; true: of any guest. */
  readonly guest?: string | true;
  readonly person?: PersonId;
  /** Of an agent and those below it. */
  readonly agent?: string;
  /** With what is booked. */
  readonly tokens?: number;
  /** Used up when that much was spent or is booked: the price of a request is known only afterwards, so one may go over it. */
  readonly usd?: number;
  /** Going over it is told, and stops nothing. */
  readonly warns?: true;
}

/** What a request may cost at most. */
export interface Cost {
  readonly tokens: number;
  /** Absent: nothing, or nobody knows. */ readonly usd?: number;
}

export interface Booked {
  /** Undefined: nothing was booked, and the last of `over` has no room. */
  readonly booking?: string;
  readonly over: readonly { readonly limit: Limit; /** Tokens, without what is booked. */ readonly used: number }[];
}

/** What was spent, and what is booked for requests under way. */
export interface Ledger {
  /** Tokens booked by this process. */
  readonly booked: number;
  /** Looked at and booked at once: of two that have room for one, one is refused. Bookings of processes that are gone do not count. */
  book(limits: readonly Limit[], places: Places, cost: Cost): Booked | Promise<Booked>;
  /** Takes it back. What was used instead counts from here on, or from the commit that says it: `About.spent`. */
  settle(booking: string, usage: Usage): void;
}
