/** state → the messages of the next request. Pure: equal state, equal bytes. */
import type { CallId } from "../contract/base.ts";
import type { AssistantMessage, Message, ToolMessage } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";
import { growingReduce } from "../lib/async/growing-list.ts";
import { withoutHostCalls } from "../lib/host-calls.ts";

/** Results follow their calls in call order, whatever order they finished in; everything else stays where it was committed. */
export function project(state: SessionState): readonly Message[] {
  const messages = withoutHostCalls(state.messages);
  if (isInOrder(messages)) return messages;
  const out: Message[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    out.push(message);
    if (message.role !== "assistant" || !message.parts.some((part) => part.type === "tool-call")) continue;
    const results = new Map<CallId, ToolMessage>();
    const between: Message[] = [];
    // Up to the last of them; what hooks said meanwhile stands behind them.
    const last = lastResult(messages, index);
    while (index < last) {
      const found = messages[++index]!;
      if (found.role === "tool") results.set(found.callId, found);
      else between.push(found);
    }
    out.push(...inCallOrder(message, results), ...between);
  }
  return out;
}

/** @returns its place, or `from` when there is none. */
function lastResult(messages: readonly Message[], from: number): number {
  let last = from;
  for (let index = from + 1; index < messages.length; index++) {
    const message = messages[index]!;
    if (message.role === "tool") last = index;
    else if (message.role !== "notice") break;
  }
  return last;
}

function inCallOrder(message: AssistantMessage, results: ReadonlyMap<CallId, ToolMessage>): readonly ToolMessage[] {
  return message.parts.flatMap((part) => {
    const result = part.type === "tool-call" ? results.get(part.callId) : undefined;
    return result === undefined ? [] : [result];
  });
}

/** Nearly every history is: calls of one answer are settled in the order in which they were asked. */
function isInOrder(messages: readonly Message[]): boolean {
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (message.role !== "assistant") continue;
    for (const part of message.parts) {
      if (part.type !== "tool-call") continue;
      const next = messages[index + 1];
      if (next?.role === "tool" && next.callId === part.callId) index++;
    }
    // Whatever is left behind them answers an earlier call, or the same one twice, or stands behind what a hook said.
    let behind = index + 1;
    while (messages[behind]?.role === "notice") behind++;
    if (messages[behind]?.role === "tool" && message.parts.some((part) => part.type === "tool-call")) return false;
  }
  return true;
}

/** Hash of a prompt: of the prefix and of a chain over its messages, so that a long history costs its new messages. */
export function createPromptHash(hash: (text: string) => string): (state: SessionState) => string {
  const chain = growingReduce<Message, string>((before, message) => hash(before + JSON.stringify(message)), "");
  return (state) => hash((state.prefix?.hash ?? "") + chain(project(state)));
}
