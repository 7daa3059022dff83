/** A stretch of conversation as plain text, for a model that condenses it: no notices, no reasoning, results cut. */
import type { Message } from "../contract/message.ts";

const MAX_RESULT_CHARS = 500;

export function asText(messages: readonly Message[]): string {
  return messages
    .flatMap((message) => {
      const text = line(message);
      return text === "" ? [] : [text];
    })
    .join("\n");
}

function line(message: Message): string {
  switch (message.role) {
    case "notice":
      return message.kind === "summary" ? message.text : "";
    case "user":
      return `User: ${message.parts.map((part) => (part.type === "text" ? part.text : `[image: ${part.name ?? "image"}]`)).join("\n")}`;
    case "assistant":
      return message.parts
        .flatMap((part) =>
          part.type === "text"
            ? [`Assistant: ${part.text}`]
            : part.type === "tool-call"
              ? [`Assistant calls ${part.name} ${JSON.stringify(part.input).slice(0, MAX_RESULT_CHARS)}`]
              : [],
        )
        .join("\n");
    case "tool":
      return `Result of ${message.name}: ${message.parts
        .map((part) => (part.type === "text" ? part.text : "[image]"))
        .join("\n")
        .slice(0, MAX_RESULT_CHARS)}`;
  }
}
