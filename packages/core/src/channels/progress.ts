/** Progress for chats: what the model says beside its tool calls, and which tools it calls. Best effort. */
import type { OutboundMessage } from "../contract/bus.ts";
import type { AgentEvent } from "../contract/event.ts";
import type { ToolCallPart } from "../contract/message.ts";
import type { Session, SessionState } from "../contract/session.ts";
import { isGroup } from "../lib/audience.ts";
import { bySomeKind, type SomeKinds } from "../lib/by-kind.ts";
import { toolHint } from "../lib/tool-hint.ts";

export interface PresentOptions {
  readonly show: (message: OutboundMessage) => void;
  readonly sendProgress: () => boolean;
  readonly sendToolHints: () => boolean;
  readonly redact: (text: string) => string;
  /** Says that nothing has come yet. */
  readonly waiting: () => string;
  readonly instead: (state: SessionState) => string | undefined;
}

/** A listener for one session's events. Nothing is retried, and nothing is held up. */
export function presenter(session: Session, options: PresentOptions): (event: AgentEvent) => void {
  let last = "";
  let waits = false;
  const show = (reply: string, text: string): void => {
    const { state } = session;
    const { audience } = state;
    if (text.trim() === "" || text === last || (audience !== undefined && isGroup(audience))) return;
    if (options.instead(state) !== undefined) return;
    last = text;
    const to = state.turn?.replyTo ?? state.origin;
    options.show({ reply, to, kind: "progress", parts: [{ type: "text", text: options.redact(text) }] });
  };
  const shows: SomeKinds<AgentEvent, [], void> = {
    "model.waiting": ({ turn, waitedMs }) => {
      if (waits || !options.sendProgress()) return;
      waits = true; // once: a chat app keeps every word
      last = "";
      show(`${turn}:waiting:${waitedMs}`, options.waiting());
    },
    "turn.ended": () => {
      waits = false;
    },
    "model.responded": ({ turn, seq, message }) => {
      waits = false;
      const calls = message.parts.filter((part): part is ToolCallPart => part.type === "tool-call");
      if (calls.length === 0) return;
      const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      if (options.sendProgress()) show(`${turn}:progress:${seq}`, text);
      if (options.sendToolHints()) show(`${turn}:hint:${seq}`, toolHint(calls));
    },
  };
  return (event) => bySomeKind(shows, event);
}
