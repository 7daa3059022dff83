// What a strict provider refuses: roles, names, and the pairing of calls and results.

import type { WireMessage, WirePart, WireRequest } from "./wire.ts";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/; // OpenAI and Anthropic, function names

/** @returns One sentence per broken rule; empty when the request is legal. */
export function brokenRules(request: WireRequest): readonly string[] {
  const problems = [...request.problems];
  if (request.model === "") problems.push("model: required.");
  for (const name of request.toolNames)
    if (!NAME.test(name)) problems.push(`tools: the name '${name}' does not match ${NAME.source}.`);
  const repeated = request.toolNames.filter((name, index) => request.toolNames.indexOf(name) !== index);
  if (repeated.length > 0) problems.push(`tools: '${repeated[0]}' is offered twice.`);
  const messages = request.messages.filter((message) => message.role !== "system");
  if (messages.length === 0) problems.push("messages: at least one message is required.");
  if (messages[0] !== undefined && messages[0].role !== "user")
    problems.push(`messages: the first message has the role '${messages[0].role}', not 'user'.`);
  for (const [index, message] of messages.entries()) {
    const next = messages[index + 1];
    if (message.role === "user" && next?.role === "user")
      problems.push(`messages: two user messages in a row (${index}, ${index + 1}).`);
    if (message.role === "assistant" && next?.role === "assistant")
      problems.push(`messages: two assistant messages in a row (${index}, ${index + 1}).`);
  }
  return [...problems, ...pairing(messages)];
}

/** Every call has exactly one result in the messages directly after it; no result without a call. */
function pairing(messages: readonly WireMessage[]): readonly string[] {
  const problems: string[] = [];
  let open: string[] = [];
  const seen = new Set<string>();
  const closeRound = (before: string): void => {
    for (const id of open) problems.push(`messages: the call '${id}' has no result before the next ${before}.`);
    open = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      for (const part of message.parts.filter((candidate) => candidate.type === "result")) {
        if (!open.includes(part.callId))
          problems.push(`messages: the result '${part.callId}' answers no call directly before it.`);
        open = open.filter((id) => id !== part.callId);
      }
      continue;
    }
    closeRound(`${message.role} message`);
    if (message.role !== "assistant") continue;
    for (const call of message.parts.filter(isCall)) {
      if (!NAME.test(call.name))
        problems.push(`messages: the name '${call.name}' of a call does not match ${NAME.source}.`);
      if (call.callId === "" || seen.has(call.callId))
        problems.push(`messages: the call id '${call.callId}' is empty or used twice.`);
      seen.add(call.callId);
      open.push(call.callId);
    }
  }
  closeRound("answer");
  return problems;
}

function isCall(part: WirePart): part is Extract<WirePart, { type: "call" }> {
  return part.type === "call";
}
