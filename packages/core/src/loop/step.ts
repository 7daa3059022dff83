/** What a session can need next. Derived from durable state only, so a restart derives the same step. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Millis } from "../contract/base.ts";
import type { Address, ToolCallPart } from "../contract/message.ts";
import type { EndReason, ErrorInfo } from "../contract/record.ts";
import type { CallState, SessionState, Waiting } from "../contract/session.ts";

export type Step =
  | { readonly do: "start"; readonly first: Waiting }
  /** Results of an agent that open no turn any more: nobody has asked for so long. `to`: who is told; absent: a person waits anyway. */
  | { readonly do: "deliver"; readonly results: readonly Waiting[]; readonly to?: Address }
  | { readonly do: "compact"; readonly because: "rows" | "tokens" | "refused" | "media" }
  | { readonly do: "judge"; readonly calls: readonly ToolCallPart[] }
  | { readonly do: "invoke"; readonly calls: readonly CallState[] }
  /** `write` calls that a crash cut off: ask their receipts, then settle. */
  | { readonly do: "recover"; readonly calls: readonly CallState[] }
  | { readonly do: "settle"; readonly calls: readonly Settlement[] }
  | {
      readonly do: "request";
      readonly attempt: number;
      readonly place: readonly string[];
      readonly notices: readonly string[];
      readonly tools: boolean;
      readonly closing: boolean;
    }
  | { readonly do: "sleep"; readonly until: Millis }
  | { readonly do: "wait"; readonly until: Millis }
  | { readonly do: "end"; readonly reason: EndReason; readonly limit?: number; readonly error?: ErrorInfo }
  | { readonly do: "rest" };

export interface Settlement {
  readonly call: ToolCallPart;
  readonly status: "denied" | "interrupted" | "error";
  readonly text: string;
}

/** What `plan` may look at besides the state. `size`: estimated prompt tokens of the state, a pure function. */
export interface PlanInput {
  readonly settings: AgentSettings;
  readonly size: (state: SessionState) => number;
  /** Consolidation of rows goes on beside the lane (`memory.timing: "background"`). */
  readonly behind: boolean;
}
