/** What the chat shows, as a value: a fold over a session's events. Nothing here knows a terminal. */
import type {
  AgentEvent,
  CallId,
  ContentPart,
  ErrorInfo,
  Json,
  Message,
  Millis,
  SessionState,
  ToolCallPart,
  ToolMessage,
  TurnId,
} from "@margay/core";

export type ToolCardStatus = "proposed" | "asking" | "running" | "retrying" | ToolMessage["status"];
export type Item =
  | { readonly kind: "user"; readonly id: string; readonly text: string; readonly name?: string }
  | { readonly kind: "assistant"; readonly text: string; readonly live: boolean; readonly cut: boolean }
  | { readonly kind: "thinking"; readonly text: string; readonly live: boolean }
  | {
      readonly kind: "tool";
      readonly call: CallId;
      readonly name: string;
      readonly input: Json;
      readonly status: ToolCardStatus;
      readonly progress: string;
      readonly result: string;
      readonly durationMs?: number;
    }
  | { readonly kind: "note"; readonly tone: "info" | "error" | "answer"; readonly text: string };

export interface PendingApproval {
  readonly call: CallId;
  readonly name: string;
  readonly input: Json;
  readonly prompt: string;
  readonly hash?: string;
  readonly expiresAt?: Millis;
}
export interface Transcript {
  readonly items: readonly Item[];
  /** Accepted, not yet before the model. */
  readonly waiting: readonly { readonly id: string; readonly text: string }[];
  readonly approvals: readonly PendingApproval[];
  readonly turn?: {
    readonly id: TurnId;
    readonly doing: "thinking" | "writing" | "tools" | "retrying";
    readonly error?: ErrorInfo;
  };
  /** Input tokens of the last response: how full the context is. */
  readonly contextTokens: number;
  /** Replies whose text is on the screen already. */
  readonly shown: ReadonlySet<string>;
}

/** Older items leave the screen; the journal keeps them. */
const MAX_ITEMS = 500;

export const EMPTY_TRANSCRIPT: Transcript = {
  items: [],
  waiting: [],
  approvals: [],
  contextTokens: 0,
  shown: new Set(),
};

/** The screen for a session as it is now: its messages, an open turn, and what waits. */
export function openTranscript(state: SessionState): Transcript {
  let transcript = state.messages.reduce(addMessage, EMPTY_TRANSCRIPT);
  for (const call of state.turn?.calls ?? []) {
    if (call.status === "started") transcript = changeTool(transcript, call.call.callId, { status: "running" });
    if (call.status === "retrying") transcript = changeTool(transcript, call.call.callId, { status: "retrying" });
    if (call.status === "denied")
      transcript = changeTool(transcript, call.call.callId, { status: "denied", result: call.reason });
    if (call.status === "asked")
      transcript = ask(transcript, call.call.callId, {
        prompt: call.prompt,
        hash: call.hash,
        expiresAt: call.expiresAt,
      });
  }
  return {
    ...transcript,
    waiting: state.pending.map(({ message }) => ({ id: message.id, text: textOf(message.parts) })),
    ...(state.turn && { turn: { id: state.turn.id, doing: state.turn.calls.length > 0 ? "tools" : "thinking" } }),
  };
}

/** One event later. */
export function follow(transcript: Transcript, event: AgentEvent): Transcript {
  switch (event.type) {
    case "message.received": {
      const waiting = { id: event.message.id, text: textOf(event.message.parts) };
      // Nothing runs: it is taken up at once, and a flash of "waiting" would only be noise.
      return transcript.turn
        ? { ...transcript, waiting: [...transcript.waiting, waiting] }
        : addMessage(transcript, event.message);
    }
    case "messages.withdrawn":
      return { ...transcript, waiting: transcript.waiting.filter(({ id }) => !event.ids.includes(id)) };
    case "messages.placed":
      return place(transcript, event.ids);
    case "model.requested":
      return { ...place(dropLive(transcript), event.placed), turn: { id: event.turn, doing: "thinking" } };
    case "turn.started":
      return { ...transcript, turn: { id: event.turn, doing: "thinking" } };
    case "text.delta":
      return { ...grow(transcript, "assistant", event.text), turn: { id: event.turn, doing: "writing" } };
    case "thinking.delta":
      return { ...grow(transcript, "thinking", event.text), turn: { id: event.turn, doing: "thinking" } };
    case "text.restarted":
      return dropLive(transcript);
    case "model.responded":
      return { ...addMessage(dropLive(transcript), event.message), turn: { id: event.turn, doing: "tools" } };
    case "model.failed":
      return {
        ...dropLive(transcript),
        turn: { id: event.turn, doing: event.retryAt === undefined ? "thinking" : "retrying", error: event.error },
      };
    case "call.judged":
      if (event.verdict !== "ask") return transcript;
      return ask(transcript, event.call, {
        prompt: event.prompt ?? event.reason ?? "",
        ...(event.hash !== undefined && { hash: event.hash }),
        ...(event.expiresAt !== undefined && { expiresAt: event.expiresAt }),
      });
    case "approval.resolved":
      return changeTool(answered(transcript, event.call), event.call, {
        status: event.verdict === "allow" ? "proposed" : "denied",
      });
    case "tool.started":
      return changeTool(transcript, event.call, { status: "running" });
    case "tool.progress":
      return changeTool(transcript, event.call, (tool) => ({ progress: tail(tool.progress + event.text) }));
    case "tool.failed":
      return changeTool(transcript, event.call, { status: "retrying", result: event.error.message });
    case "tool.finished":
      return finish(transcript, event.message, event.durationMs);
    case "turn.ended": {
      const { turn: _ended, ...rest } = transcript;
      return { ...rest, approvals: [] };
    }
    case "reply.queued":
      return queued(transcript, event);
    case "session.cleared":
      return { ...EMPTY_TRANSCRIPT, shown: transcript.shown };
    case "tool-call.delta":
    case "session.opened":
    case "prefix.frozen":
    case "command.handled":
    case "notice.added":
    case "turn.cancelled":
    case "reply.delivered":
    case "reply.failed":
    case "history.compacted":
    case "history.imported":
    case "session.configured":
      return transcript;
  }
}

/** Adds a line of our own, or a reply that came from elsewhere. */
export function note(transcript: Transcript, tone: Extract<Item, { kind: "note" }>["tone"], text: string): Transcript {
  return add(transcript, { kind: "note", tone, text });
}

/** A command: shown as typed, although it is no message. */
export function typed(transcript: Transcript, text: string): Transcript {
  return add(transcript, { kind: "user", id: "", text });
}

/** Whether the person can already read this reply. */
export function isShown(transcript: Transcript, reply: string, text: string): boolean {
  return (
    transcript.shown.has(reply) ||
    transcript.items.some((item) => item.kind === "assistant" && item.text.trim() === text.trim())
  );
}

export function textOf(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mediaType}]`)).join("\n");
}

function queued(transcript: Transcript, event: Extract<AgentEvent, { type: "reply.queued" }>): Transcript {
  const shown = new Set([...transcript.shown, event.reply]);
  const text = textOf(event.parts);
  const next = { ...transcript, shown };
  // What goes to another chat is its tool card's business; progress and questions have their own places here.
  if (event.to.channel !== "cli" || event.kind === "progress" || event.kind === "approval") return next;
  if (event.kind === "error") return note(next, "error", text);
  if (event.kind === "command") return note(next, "answer", text);
  const last = transcript.items.findLast((item) => item.kind === "assistant");
  if (text.trim() === "" || (last && last.text.trim() === text.trim())) return next;
  // The reply may be longer than the streamed text: a limit notice, or all texts of the turn.
  if (last && last.text !== "" && text.startsWith(last.text))
    return note(next, "info", text.slice(last.text.length).trim());
  const texts = transcript.items.filter((item) => item.kind === "assistant").map((item) => item.text);
  return texts.length > 1 && text.endsWith(texts.slice(-2).join("")) ? next : note(next, "answer", text);
}

function addMessage(transcript: Transcript, message: Message): Transcript {
  switch (message.role) {
    case "user":
      return add(transcript, {
        kind: "user",
        id: message.id,
        text: textOf(message.parts),
        ...(message.from.kind !== "person" && { name: message.from.name ?? message.from.id }),
      });
    case "assistant": {
      const items = message.parts.map((part): Item => {
        if (part.type === "text")
          return {
            kind: "assistant",
            text: part.text,
            live: false,
            cut: message.finish === "cancelled" || message.finish === "cut",
          };
        return part.type === "thinking" ? { kind: "thinking", text: part.text, live: false } : card(part);
      });
      const filled = items.filter((item) => !("text" in item) || item.text.trim() !== "");
      return { ...filled.reduce(add, transcript), contextTokens: message.usage.input + message.usage.output };
    }
    case "tool":
      return finish(transcript, message);
    case "notice":
      return transcript;
  }
}

function card(part: ToolCallPart): Item {
  return {
    kind: "tool",
    call: part.callId,
    name: part.name,
    input: part.input,
    status: "proposed",
    progress: "",
    result: "",
  };
}

function add(transcript: Transcript, item: Item): Transcript {
  return { ...transcript, items: [...transcript.items, item].slice(-MAX_ITEMS) };
}

function place(transcript: Transcript, ids: readonly string[]): Transcript {
  const placed = transcript.waiting
    .filter(({ id }) => ids.includes(id))
    .map(({ id, text }): Item => ({ kind: "user", id, text }));
  return placed.length === 0
    ? transcript
    : { ...placed.reduce(add, transcript), waiting: transcript.waiting.filter(({ id }) => !ids.includes(id)) };
}

function grow(transcript: Transcript, kind: "assistant" | "thinking", text: string): Transcript {
  const last = transcript.items.at(-1);
  if (last?.kind !== kind || !last.live)
    return add(transcript, kind === "assistant" ? { kind, text, live: true, cut: false } : { kind, text, live: true });
  return { ...transcript, items: [...transcript.items.slice(0, -1), { ...last, text: last.text + text }] };
}

/** Deltas are only a preview: the record that follows holds the real parts. */
function dropLive(transcript: Transcript): Transcript {
  const items = transcript.items.filter((item) => !("live" in item) || !item.live);
  return items.length === transcript.items.length ? transcript : { ...transcript, items };
}

function finish(transcript: Transcript, message: ToolMessage, durationMs?: number): Transcript {
  return changeTool(answered(transcript, message.callId), message.callId, {
    status: message.status,
    result: textOf(message.parts),
    ...(durationMs !== undefined && { durationMs }),
  });
}

function ask(
  transcript: Transcript,
  call: CallId,
  question: Pick<PendingApproval, "prompt" | "hash" | "expiresAt">,
): Transcript {
  const tool = transcript.items.findLast((item) => item.kind === "tool" && item.call === call);
  const known = tool?.kind === "tool" ? { name: tool.name, input: tool.input } : { name: "?", input: null };
  return {
    ...changeTool(transcript, call, { status: "asking" }),
    approvals: [...transcript.approvals.filter((other) => other.call !== call), { call, ...known, ...question }],
  };
}

function answered(transcript: Transcript, call: CallId): Transcript {
  return { ...transcript, approvals: transcript.approvals.filter((approval) => approval.call !== call) };
}

type ToolCard = Extract<Item, { kind: "tool" }>;
function changeTool(
  transcript: Transcript,
  call: CallId,
  change: Partial<ToolCard> | ((tool: ToolCard) => Partial<ToolCard>),
): Transcript {
  const items = transcript.items.map((item) =>
    item.kind === "tool" && item.call === call
      ? { ...item, ...(typeof change === "function" ? change(item) : change) }
      : item,
  );
  return { ...transcript, items };
}

/** Live output is for watching; its end is what matters. */
function tail(text: string): string {
  return text.length > 4000 ? text.slice(-4000) : text;
}
