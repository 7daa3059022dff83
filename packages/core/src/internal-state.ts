/** What the pages need beside `@margay/core/state`; runs in a browser. */
export { emptyState, fold } from "./session/reduce.ts";
export { callsOf } from "./view/store.ts";
export { inDisplayOrder, seqOf } from "./view/display-order.ts";
export { bySomeKind, type SomeKinds } from "./lib/by-kind.ts";
export { isRecord } from "./lib/is-record.ts";
export { addressText } from "./lib/session-key.ts";
export { keptAsideOf } from "./lib/kept-aside.ts";
export { labelledFilesOf } from "./lib/labelled-files.ts";
export { cutCommit, exported } from "./view/cut.ts";
export {
  isCut,
  type ApprovalView,
  type AssistantItemPart,
  type CallView,
  type Cut,
  type ItemOf,
  type TurnView,
  type WireCommit,
  type WireRecord,
} from "./view/types.ts";
export type { SessionId, Json, JsonObject } from "./contract/base.ts";
export type { LiveEvent } from "./contract/event.ts";
export type { Address } from "./contract/message.ts";
export type { Commit } from "./contract/record.ts";
export type { SessionState } from "./contract/session.ts";
export { isKey, type Catalog, type Needed, type PlainKey, type Texts, type Values } from "./lib/texts.ts";
