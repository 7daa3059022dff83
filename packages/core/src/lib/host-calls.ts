/** Calls that the host of the agent makes itself: no model asked for them, and none is told. Pure. */
import type { CallId } from "../contract/base.ts";
import type { Message, ModelRef } from "../contract/message.ts";

/** Stands in the record of such a call. */
export const HOST_CALL: ModelRef = { provider: "direct", model: "none" };

/** Whether what runs now was called by the host: nothing was asked since. */
export function isHostCalling({ messages }: { readonly messages: readonly Message[] }): boolean {
  const last = messages.findLast(({ role }) => role === "assistant");
  return last !== undefined && hostCallsOf(last).length > 0;
}

export function withoutHostCalls(messages: readonly Message[]): readonly Message[] {
  const calls = new Set<CallId>();
  for (const message of messages) for (const call of hostCallsOf(message)) calls.add(call);
  if (calls.size === 0) return messages;
  return messages.filter((message) =>
    message.role === "tool" ? !calls.has(message.callId) : hostCallsOf(message).length === 0,
  );
}

function hostCallsOf(message: Message): readonly CallId[] {
  if (message.role !== "assistant" || message.model.provider !== HOST_CALL.provider) return [];
  return message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
}
