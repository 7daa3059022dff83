/** A stretch of conversation as plain text, for a model that condenses it: no runtime notices, no reasoning, results cut. */
import type { Millis } from "../contract/base.ts";
import type { Message } from "../contract/message.ts";
import { truncate } from "../lib/text.ts";

const MAX_RESULT_CHARS = 500;
const MAX_ROW_CHARS = 8000;

export interface Rendering {
  /** Put before each row. */
  readonly time?: (at: Millis) => string;
  /** Calls and results of tools. */
  readonly tools: boolean;
  /** The summary of what came before: it is no row, and memory has it already. */
  readonly summary: boolean;
}

/** @param maxChars the end of a longer text; what is before it is not looked at. */
export function asText(messages: readonly Message[], rendering: Rendering, maxChars: number): string {
  const lines: string[] = [];
  for (let at = messages.length - 1, chars = 0; at >= 0 && chars <= maxChars; at--) {
    const message = messages[at]!;
    const text = line(message, rendering);
    if (text === "") continue;
    const stamp = rendering.time === undefined || message.role === "notice" ? "" : `${rendering.time(message.at)} `;
    const row = `${stamp}${truncate(text, MAX_ROW_CHARS)}`;
    lines.push(row);
    chars += row.length + 1;
  }
  return lines.toReversed().join("\n").slice(-maxChars);
}

function line(message: Message, { tools, summary }: Rendering): string {
  switch (message.role) {
    case "notice":
      return message.kind === "summary" && summary ? message.text : "";
    case "user":
      return `User: ${message.parts.map((part) => (part.type === "text" ? part.text : `[image: ${part.name ?? "image"}]`)).join("\n")}`;
    case "assistant":
      return message.parts
        .flatMap((part) =>
          part.type === "text"
            ? [`Assistant: ${part.text}`]
            : part.type === "tool-call" && tools
              ? [`Assistant calls ${part.name} ${JSON.stringify(part.input).slice(0, MAX_RESULT_CHARS)}`]
              : [],
        )
        .join("\n");
    case "tool":
      return tools
        ? `Result of ${message.name}: ${message.parts
            .map((part) => (part.type === "text" ? part.text : "[image]"))
            .join("\n")
            .slice(0, MAX_RESULT_CHARS)}`
        : "";
  }
}
