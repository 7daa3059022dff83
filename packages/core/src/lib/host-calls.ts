/** Calls that the host of the agent makes itself: no model asked for them, and none is told. Pure. */
import type { CallId } from "../contract/base.ts";
import type { AssistantMessage, Message, ModelRef } from "../contract/message.ts";

/** Stands in the record of such a call. */
export const HOST_CALL: ModelRef = { provider: "direct", model: "none" };

/** Whether what runs now was called by the host: nothing was asked since. */
export function isHostCalling({ messages }: { readonly messages: readonly Message[] }): boolean {
  const last = messages.findLast(({ role }) => role === "assistant");
  return last !== undefined && hostCallsOf(last).length > 0;
}

export function withoutHostCalls(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(isHosts)) return messages;
  const calls = new Set<CallId>(messages.flatMap(hostCallsOf));
  return messages.filter((message) =>
    message.role === "tool" ? !calls.has(message.callId) : hostCallsOf(message).length === 0,
  );
}

function isHosts(message: Message): message is AssistantMessage {
  return message.role === "assistant" && message.model.provider === HOST_CALL.provider;
}

function hostCallsOf(message: Message): readonly CallId[] {
  if (!isHosts(message)) return [];
  return message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
}
