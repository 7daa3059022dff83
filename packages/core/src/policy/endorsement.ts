/** What the operator wrote word for word may be an argument of a call, whatever else is in the context. Pure. */
import type { Message } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";
import { says } from "../lib/said.ts";

/** Links that stood in a result and were followed: more in one turn leads no person. */
const MAX_QUOTED_FETCHES = 20;
/** A word of one letter stands in every message. */
const MIN_CHARS = 2;

/** The text stands in a message of the operator, as words of its own. */
export function isNamedByOperator(text: string, { messages }: SessionState): boolean {
  return (
    text.trim().length >= MIN_CHARS &&
    messages.some(
      (message) => message.role === "user" && message.from.kind === "person" && says(trustedText(message), text.trim()),
    )
  );
}

/** The address stands in what a tool returned: following it tells its server that the page was read, and no more. */
export function isQuoted(url: string, { messages, turn }: SessionState): boolean {
  const fetched = messages
    .slice(messages.findLastIndex(({ role }) => role === "user") + 1)
    .filter((message) => message.role === "tool" && message.name === "web_fetch").length;
  return (
    turn !== undefined &&
    fetched < MAX_QUOTED_FETCHES &&
    messages.some((message) => message.role === "tool" && says(textOf(message), url))
  );
}

/** What others wrote is in the message too when they are quoted in it; its marks say so for all of it. */
function trustedText(message: Message): string {
  return message.integrity === undefined ? textOf(message) : "";
}

function textOf(message: Message): string {
  return message.role === "notice"
    ? message.text
    : message.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
