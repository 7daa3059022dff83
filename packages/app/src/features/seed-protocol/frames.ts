/** What happens in a session, in the frames of the seeds: pure, `(view before, change) → frames`. */
import type { Commit, JournalRecord, JsonObject } from "@margay/core";
import {
  bySomeKind,
  type CallId,
  type LiveEvent,
  type OfKind,
  type SessionId,
  type SomeKinds,
  type TurnId,
} from "@margay/core/internal";

export interface SeedProjection {
  commit(commit: Commit): void;
  live(event: LiveEvent): void;
  /** The client asked to stop: nothing more of this turn but its end. */
  mute(): void;
}

export interface SeedOptions {
  readonly session: SessionId;
  /** `stream`, or the name the client asked for. */
  readonly chunk: string;
}

/** What a client was told so far. */
export interface SeedView {
  readonly seq: number;
  readonly turn: TurnId | undefined;
  /** That opened the turn. */
  readonly message: string;
  readonly muted: boolean;
  readonly spoke: boolean;
  /** Of the response that is being streamed. */
  readonly streamed: string;
  /** White space that may be the end of the answer, which has none. */
  readonly held: string;
  readonly calls: ReadonlyMap<CallId, { readonly tool: string; readonly arguments: JsonObject[string] }>;
}

export type SeedChange =
  | { readonly type: "commit"; readonly commit: Commit }
  | { readonly type: "live"; readonly event: LiveEvent }
  | { readonly type: "mute" };

export const UNTOLD: SeedView = {
  ...{ seq: 0, turn: undefined, message: "", muted: false, spoke: false, streamed: "", held: "" },
  calls: new Map(),
};

export function seedFrames(
  before: SeedView,
  change: SeedChange,
  options: SeedOptions,
): { readonly after: SeedView; readonly frames: readonly JsonObject[] } {
  const draft: Draft = { view: before, frames: [], options };
  switch (change.type) {
    case "commit":
      set(draft, { seq: change.commit.seq });
      for (const record of change.commit.records) bySomeKind(RECORDS, record, draft);
      break;
    case "live":
      if (!before.muted) bySomeKind(LIVE, change.event, draft);
      break;
    case "mute":
      set(draft, { muted: before.turn !== undefined });
  }
  return { after: draft.view, frames: draft.frames };
}

/** The same over time, for one client. */
export function projectSeed({
  send,
  ...options
}: SeedOptions & { readonly send: (frame: JsonObject) => void }): SeedProjection {
  let view = UNTOLD;
  const take = (change: SeedChange): void => {
    const { after, frames } = seedFrames(view, change, options);
    view = after;
    for (const frame of frames) send(frame);
  };
  return {
    commit: (commit) => take({ type: "commit", commit }),
    live: (event) => take({ type: "live", event }),
    mute: () => take({ type: "mute" }),
  };
}

interface Draft {
  view: SeedView;
  readonly frames: JsonObject[];
  readonly options: SeedOptions;
}

type Of<Type extends JournalRecord["type"]> = OfKind<JournalRecord, Type>;

const STATUS = { done: "done", limit: "limit", cancelled: "cancelled", failed: "failed", budget: "failed" } as const;

/** Other records are not part of this view. */
const RECORDS: SomeKinds<JournalRecord, [draft: Draft], void> = {
  "turn.started": ({ turn, message }, draft) => begin(draft, turn, message ?? turn),
  "model.requested": ({ turn, placed }, draft) => {
    if (draft.view.turn === undefined) begin(draft, turn, placed[0] ?? turn); // came in the middle
    set(draft, { streamed: "" });
  },
  "model.failed": ({ retryAt }, draft) => {
    if (retryAt !== undefined) restart(draft);
  },
  "model.responded": responded,
  "tool.started": ({ attempt, call }, draft) => {
    if (attempt === 1 && !draft.view.muted) send(draft, { type: "tool_call", ...named(draft, call) });
  },
  "tool.finished": ({ message: { parts, callId, status }, durationMs }, draft) => {
    if (draft.view.muted) return;
    const text = parts.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("");
    send(draft, {
      type: "tool_result",
      ...named(draft, callId),
      ...(status === "ok" ? { result: text } : { error: text }),
      duration: durationMs,
    });
  },
  "turn.ended": ended,
  // A command's answer, and what was sent unasked, have no turn.
  "reply.queued": ({ kind, call, parts, reply }, draft) => {
    if (kind !== "command" && kind !== "message") return;
    if (draft.view.turn !== undefined || call !== undefined) return;
    const content = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    send(draft, { type: draft.options.chunk, content });
    send(draft, { type: "message_complete", message_id: reply, status: "done" });
  },
};

const LIVE: SomeKinds<LiveEvent, [draft: Draft], void> = {
  "text.delta": ({ text }, draft) => {
    set(draft, { streamed: draft.view.streamed + text });
    say(draft, text);
  },
  "tool.progress": ({ call, text }, draft) =>
    send(draft, { type: "tool_progress", ...named(draft, call), message: text }),
  "text.restarted": (_event, draft) => restart(draft),
};

function set(draft: Draft, change: Partial<SeedView>): void {
  draft.view = { ...draft.view, ...change };
}

function send({ frames, view, options }: Draft, frame: JsonObject): void {
  const { session } = options;
  frames.push({ ...frame, session_id: session, sessionId: session, seq: view.seq });
}

function begin(draft: Draft, turn: TurnId, message: string): void {
  set(draft, { ...UNTOLD, seq: draft.view.seq, turn, message });
}

function restart(draft: Draft): void {
  if (draft.view.streamed !== "" && !draft.view.muted) send(draft, { type: "stream_restart" });
  set(draft, { streamed: "", held: "" });
}

function say(draft: Draft, text: string): void {
  if (draft.view.muted || text === "") return;
  const all = draft.view.held + text;
  const end = all.trimEnd().length;
  set(draft, { held: all.slice(end) });
  if (end === 0) return;
  set(draft, { spoke: true });
  send(draft, { type: draft.options.chunk, content: all.slice(0, end) });
}

function sayWhole(draft: Draft, text: string): void {
  const { muted, spoke } = draft.view;
  if (muted || text === "") return;
  send(draft, { type: draft.options.chunk, content: spoke ? `\n\n${text}` : text });
  set(draft, { held: "", spoke: true });
}

function named({ view: { calls } }: Draft, call: CallId): JsonObject {
  const known = calls.get(call);
  return { callId: call, call_id: call, tool: known?.tool ?? "", arguments: known?.arguments ?? {} };
}

function responded({ message: { parts } }: Of<"model.responded">, draft: Draft): void {
  const { streamed } = draft.view;
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  // What no delta brought: a provider that does not stream, or a client that came late.
  if (text.startsWith(streamed)) say(draft, text.slice(streamed.length));
  const calls = new Map(draft.view.calls);
  for (const part of parts)
    if (part.type === "tool-call") calls.set(part.callId, { tool: part.name, arguments: part.input });
  set(draft, { streamed: "", calls });
}

function ended({ turn, reason, notice, error }: Of<"turn.ended">, draft: Draft): void {
  const { message } = draft.view;
  if (reason === "limit" && notice !== undefined) sayWhole(draft, notice);
  if (error !== undefined && reason !== "cancelled")
    send(draft, { type: "error", code: error.code, message: notice ?? error.message });
  send(draft, { type: "message_complete", message_id: message === "" ? turn : message, status: STATUS[reason] });
  set(draft, { turn: undefined, muted: false });
}
