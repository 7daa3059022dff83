/** The form in which a context is replayed when a new epoch opens. Pure. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { ContentPart, Message } from "../contract/message.ts";

/** Results longer than `toolResultChars` are cut and images are placeholders: the form of transcripts and of new epochs. */
export function cutForm(
  messages: readonly Message[],
  settings: Pick<AgentSettings, "toolResultChars">,
): readonly Message[] {
  return messages.map((message) => formOf(message, settings.toolResultChars));
}

/** The very message when nothing of it is cut: what is known of it stays known. */
export function formOf(message: Message, toolResultChars: number): Message {
  if (message.role !== "tool" && message.role !== "user") return message;
  const maxChars = message.role === "tool" ? toolResultChars : Number.POSITIVE_INFINITY;
  if (message.parts.every((part) => part.type === "text" && part.text.length <= maxChars)) return message;
  return { ...message, parts: message.parts.map((part) => cutPart(part, maxChars)) };
}

/** `… [{n} characters in all]`. Never splits a surrogate pair. */
export function cutPart(part: ContentPart, maxChars: number): ContentPart {
  if (part.type === "media") return { type: "text", text: `[image: ${part.name ?? "image"}]` };
  if (part.text.length <= maxChars) return part;
  const end = /[\uD800-\uDBFF]/.test(part.text.charAt(maxChars - 1)) ? maxChars - 1 : maxChars;
  return { type: "text", text: `${part.text.slice(0, end)}… [${part.text.length} characters in all]` };
}
