/** The table of the security design: what a call of each class may do, by the label of what the model has read. */
import type { CallClass } from "./call-class.ts";

export type Cell = "run" | "ask" | "deny";

export interface Row {
  /** Nothing in the context came from strangers. */
  readonly trusted: Cell;
  /** Something did, and a person can be asked. */
  readonly untrusted: Cell;
  /** Something did, and nobody is there. */
  readonly alone: Cell;
}

const FREE: Row = { trusted: "run", untrusted: "run", alone: "run" };
/** It acts, or it tells somebody something: only when nobody can have talked the model into it. */
const STEERED: Row = { trusted: "run", untrusted: "ask", alone: "deny" };
/** It changes what the agent is, or reaches somebody the operator did not name. */
const ASKED: Row = { trusted: "ask", untrusted: "ask", alone: "deny" };
const NEVER: Row = { trusted: "deny", untrusted: "deny", alone: "deny" };

export const TABLE: Readonly<Record<CallClass, Row>> = {
  read: FREE,
  fetch: FREE,
  "fetch composed": STEERED,
  search: FREE,
  "search sensitive": STEERED,
  write: FREE,
  exec: STEERED,
  remember: STEERED,
  "remember for a group": FREE, // what others had a hand in is marked so, and stands in no prompt
  cron: STEERED,
  spawn: FREE, // the child has the label of its parent
  "write protected": ASKED,
  "write outside": ASKED,
  state: NEVER,
  "message here": FREE,
  "message named": STEERED,
  "message elsewhere": ASKED,
  "mcp read": FREE,
  "mcp read sensitive": STEERED,
  "mcp write named": STEERED,
  "mcp write": ASKED,
  other: FREE,
  "other write": STEERED,
};
