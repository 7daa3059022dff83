/** Why a context is untrusted, in words for the person who is asked and for the model that is refused. Pure. */
import type { Message } from "../contract/message.ts";
import { GROUP } from "../lib/audience.ts";

const MAX_NAMED = 3;

export function sourcesText(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).join(", ");
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return `the conversation holds content that nobody vouches for${shown === "" ? "" : ` (${shown}${more})`}`;
}

/** Undefined: somebody vouches for it. */
export function sourceOf(message: Message): string | undefined {
  if (message.integrity === undefined) return undefined;
  switch (message.role) {
    case "tool":
      return message.name;
    case "user":
      if (message.from.kind === "person") return `a message of ${message.from.name ?? message.from.id}`;
      return message.from.id === GROUP ? "what was said in the group" : "a message of a program";
    case "notice":
      return message.kind === "summary" ? "a summary" : "a notice";
    case "assistant":
      return undefined; // it says so because of one of the others
  }
}
