import type { CallId, Millis, Seq, TurnId } from "./base.ts";
import type { JournalRecord } from "./record.ts";

/** Best effort: dropped for a slow reader, and always superseded by a record. */
export type LiveEvent =
  | { readonly type: "text.delta"; readonly turn: TurnId; readonly index: number; readonly text: string }
  | { readonly type: "thinking.delta"; readonly turn: TurnId; readonly index: number; readonly text: string }
  | { readonly type: "tool-call.delta"; readonly turn: TurnId; readonly call: CallId; readonly name: string; readonly text: string }
  | { readonly type: "tool.progress"; readonly turn: TurnId; readonly call: CallId; readonly text: string }
  /** A person waits for the first words, and has heard nothing for so long: every 20 s. */
  | { readonly type: "model.waiting"; readonly turn: TurnId; readonly waitedMs: Millis }
  /** The reply starts again: what was shown of this response is void (a timeout after text). */
  | { readonly type: "text.restarted"; readonly turn: TurnId };
/** Never dropped: a reader that lags is refilled from the journal. */
export type DurableEvent = JournalRecord & { readonly seq: Seq; readonly at: Millis };
export type AgentEvent = DurableEvent | LiveEvent;
