/** state → the messages of the next request. Pure: equal state, equal bytes. */
import type { CallId } from "../contract/base.ts";
import type { AssistantMessage, Message, ToolMessage } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";

/** Results follow their calls in call order, whatever order they finished in; everything else stays where it was committed. */
export function project(state: SessionState): readonly Message[] {
  const { messages } = state;
  const out: Message[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    out.push(message);
    if (message.role !== "assistant" || !message.parts.some((part) => part.type === "tool-call")) continue;
    const results = new Map<CallId, ToolMessage>();
    for (let next = messages[index + 1]; next?.role === "tool"; next = messages[index + 1]) {
      results.set(next.callId, next);
      index++;
    }
    out.push(...inCallOrder(message, results));
  }
  return out;
}

function inCallOrder(message: AssistantMessage, results: ReadonlyMap<CallId, ToolMessage>): readonly ToolMessage[] {
  return message.parts.flatMap((part) => {
    const result = part.type === "tool-call" ? results.get(part.callId) : undefined;
    return result === undefined ? [] : [result];
  });
}

/**
 * Hash of a prompt: of the prefix and of each message, so that a long history costs one digest per new message.
 * `digest` remembers by object identity, which `reduce` keeps.
 */
export function createPromptHash(hash: (text: string) => string): (state: SessionState) => string {
  const digests = new WeakMap<Message, string>();
  const digest = (message: Message): string => {
    const known = digests.get(message);
    if (known !== undefined) return known;
    const made = hash(JSON.stringify(message));
    digests.set(message, made);
    return made;
  };
  return (state) => hash((state.prefix?.hash ?? "") + project(state).map(digest).join(""));
}
