/** What the pages need beside `@margay/core/state`; runs in a browser. */
export { emptyState, fold, reduce } from "./session/reduce.ts";
export { callsOf } from "./view/store.ts";
export { keptAsideOf, type NamedAside } from "./lib/kept-aside.ts";
export { labelledFilesOf } from "./lib/labelled-files.ts";
export { cutCommit } from "./view/cut.ts";
export {
  isCut,
  type ApprovalView,
  type AssistantItemPart,
  type CallStatus,
  type CallView,
  type Cut,
  type ItemOf,
  type ItemPart,
  type TurnView,
  type ViewSnapshot,
  type WireCommit,
  type WireRecord,
} from "./view/types.ts";
export type { SessionId, TurnId, CallId, Seq, Millis, Json, JsonObject } from "./contract/base.ts";
export type { AgentEvent, DurableEvent, LiveEvent } from "./contract/event.ts";
export type {
  Address,
  AssistantMessage,
  AssistantPart,
  ContentPart,
  Message,
  ModelRef,
  NoticeMessage,
  Sender,
  ToolMessage,
  Usage,
  UserMessage,
} from "./contract/message.ts";
export type { Commit, ErrorInfo, JournalRecord } from "./contract/record.ts";
export type { CallState, QueuedReply, SessionState, TurnState, Waiting } from "./contract/session.ts";
