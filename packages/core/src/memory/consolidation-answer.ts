/** What a consolidation answered, in whichever of the three forms it came. */
import type { AssistantPart } from "../contract/message.ts";
import { NOTHING } from "./consolidation-answer.zh.ts";

export interface Answer {
  /** The new MEMORY.md. Absent: it stays as it is. */
  readonly memory?: string;
  /** One entry for HISTORY.md. Absent: nothing was worth keeping. */
  readonly history?: string;
  /** It was plain text, which only a summary may be. */
  readonly prose?: true;
}

/** @returns undefined when no form fits: prose is one only for `summary`. */
export function parseAnswer(parts: readonly AssistantPart[], format: "tool" | "json" | "summary"): Answer | undefined {
  for (const part of parts) if (part.type === "tool-call" && part.name === "save_memory") return fields(part.input);
  const text = parts
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("")
    .trim();
  if (text === "") return undefined;
  if (NOTHING.test(text)) return {};
  const json = embedded(text);
  if (json !== undefined) return fields(json);
  // What begins like JSON and is none was cut off: a fragment is no summary.
  return format === "summary" && !/^(?:```|\{)/.test(text) ? { history: text, prose: true } : undefined;
}

/** Either set of field names; a blank half counts as missing. */
function fields(value: unknown): Answer | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const given = value as Readonly<Record<string, unknown>>; // narrowed by the checks below
  const memory = filled(given["memory"] ?? given["memory_update"]);
  const history = filled(given["history"] ?? given["history_entry"]);
  if (memory === undefined && history === undefined) return undefined;
  return {
    ...(memory !== undefined && { memory }),
    ...(history !== undefined && !NOTHING.test(history) && { history }),
  };
}

function filled(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** JSON alone, fenced, or with words around it. */
function embedded(text: string): unknown {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start < 0 || end < start) return undefined;
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    return undefined; // braces in prose
  }
}
