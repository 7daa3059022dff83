/** Progress for chats: what the model says beside its tool calls, and which tools it calls. Best effort (CH8). */
import type { Logger } from "../contract/base.ts";
import type { Channel } from "../contract/bus.ts";
import type { AgentEvent } from "../contract/event.ts";
import type { ContentPart, ToolCallPart } from "../contract/message.ts";
import type { Session } from "../contract/session.ts";
import { messageOf } from "../lib/errors.ts";
import { toolHint } from "../lib/tool-hint.ts";

export interface PresentOptions {
  readonly channel: (id: string) => Channel | undefined;
  readonly log: Logger;
  readonly sendProgress: () => boolean;
  readonly sendToolHints: () => boolean;
  readonly redact: (text: string) => string;
  readonly signal: AbortSignal;
}

/** A listener for one session's events. Sends are never retried and never hold anything up. */
export function presenter(session: Session, options: PresentOptions): (event: AgentEvent) => void {
  let last = "";
  let tail: Promise<unknown> = Promise.resolve();
  const send = (id: string, text: string): void => {
    const to = session.state.turn?.replyTo ?? session.state.origin;
    const channel = options.channel(to.channel);
    if (channel === undefined || text.trim() === "" || text === last) return;
    last = text;
    const parts: readonly ContentPart[] = [{ type: "text", text: options.redact(text) }];
    tail = tail
      .then(() => channel.send({ reply: id, to, kind: "progress", parts }, options.signal))
      .catch((error: unknown) =>
        options.log.debug("progress.failed", { channel: channel.id, message: messageOf(error) }),
      );
  };
  return (event) => {
    if (event.type !== "model.responded") return;
    const calls = event.message.parts.filter((part): part is ToolCallPart => part.type === "tool-call");
    if (calls.length === 0) return;
    const text = event.message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (options.sendProgress()) send(`${event.turn}:progress:${event.seq}`, text);
    if (options.sendToolHints()) send(`${event.turn}:hint:${event.seq}`, toolHint(calls));
  };
}
