/** What the chat shows, as a value, and the small changes it is made of. Nothing here knows a terminal. */
import type { ContentPart, ErrorInfo, Json, Message, ToolCallPart, ToolMessage } from "@margay/core";
import type { CallId, Millis, TurnId } from "@margay/core/internal";

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
  /** At the end of a turn: so many files became a stranger's in it. */
  | { readonly kind: "labelled"; readonly count: number }
  /** At the end of a turn: so many things that run by themselves were kept aside in it. */
  | { readonly kind: "aside"; readonly count: number }
  | { readonly kind: "note"; readonly tone: "info" | "error" | "answer"; readonly text: string };

export interface PendingApproval {
  readonly call: CallId;
  readonly name: string;
  readonly input: Json;
  readonly prompt: string;
  readonly hash?: string;
  readonly expiresAt?: Millis;
  /** The call runs meanwhile, and what it asked outlives it. */
  readonly during?: true;
  /** What a yes can be remembered for. */
  readonly grant?: { readonly shown: string; readonly always?: true };
}
export interface Transcript {
  readonly items: readonly Item[];
  /** Accepted, not yet before the model. */
  readonly waiting: readonly { readonly id: string; readonly text: string }[];
  readonly approvals: readonly PendingApproval[];
  readonly turn?: {
    readonly id: TurnId;
    readonly doing: "thinking" | "writing" | "tools" | "retrying" | "waiting";
    readonly error?: ErrorInfo;
  };
  /** Input tokens of the last response: how full the context is. */
  readonly contextTokens: number;
  /** Files that became a stranger's in the turn so far. */
  readonly labelled: number;
  /** What was kept aside in the turn so far. */
  readonly aside: number;
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
  labelled: 0,
  aside: 0,
  shown: new Set(),
};

/** Adds a line of our own, or a reply that came from elsewhere. */
export function note(transcript: Transcript, tone: Extract<Item, { kind: "note" }>["tone"], text: string): Transcript {
  return add(transcript, { kind: "note", tone, text });
}

/** Said once, at the end of the turn. */
export function endTurn({ turn: _ended, ...rest }: Transcript): Transcript {
  const { labelled, aside } = rest;
  const counts = [
    { kind: "aside", count: aside },
    { kind: "labelled", count: labelled },
  ] as const;
  const ended = { ...rest, approvals: [], labelled: 0, aside: 0 };
  return counts.filter(({ count }) => count > 0).reduce<Transcript>(add, ended);
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

export function addMessage(transcript: Transcript, message: Message): Transcript {
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

export function place(transcript: Transcript, ids: readonly string[]): Transcript {
  const placed = transcript.waiting
    .filter(({ id }) => ids.includes(id))
    .map(({ id, text }): Item => ({ kind: "user", id, text }));
  return placed.length === 0
    ? transcript
    : { ...placed.reduce(add, transcript), waiting: transcript.waiting.filter(({ id }) => !ids.includes(id)) };
}

export function grow(transcript: Transcript, kind: "assistant" | "thinking", text: string): Transcript {
  const last = transcript.items.at(-1);
  if (last?.kind !== kind || !last.live)
    return add(transcript, kind === "assistant" ? { kind, text, live: true, cut: false } : { kind, text, live: true });
  return { ...transcript, items: [...transcript.items.slice(0, -1), { ...last, text: last.text + text }] };
}

/** Deltas are only a preview: the record that follows holds the real parts. */
export function dropLive(transcript: Transcript): Transcript {
  const items = transcript.items.filter((item) => !("live" in item) || !item.live);
  return items.length === transcript.items.length ? transcript : { ...transcript, items };
}

export function finish(transcript: Transcript, message: ToolMessage, durationMs?: number): Transcript {
  const approvals = transcript.approvals.filter(({ call, during }) => during === true || call !== message.callId);
  return changeTool({ ...transcript, approvals }, message.callId, {
    status: message.status,
    result: textOf(message.parts),
    ...(durationMs !== undefined && { durationMs }),
  });
}

export function ask(
  transcript: Transcript,
  call: CallId,
  question: Pick<PendingApproval, "prompt" | "hash" | "expiresAt" | "during" | "grant">,
): Transcript {
  const tool = transcript.items.findLast((item) => item.kind === "tool" && item.call === call);
  const known = tool?.kind === "tool" ? { name: tool.name, input: tool.input } : { name: "?", input: null };
  return {
    ...changeTool(transcript, call, { status: "asking" }),
    approvals: [...transcript.approvals.filter((other) => other.call !== call), { call, ...known, ...question }],
  };
}

export function answered(transcript: Transcript, call: CallId): Transcript {
  return { ...transcript, approvals: transcript.approvals.filter((approval) => approval.call !== call) };
}

type ToolCard = Extract<Item, { kind: "tool" }>;
export function changeTool(
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
