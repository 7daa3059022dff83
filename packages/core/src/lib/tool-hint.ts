/** `web_search("query")`: a call in one glance. */
import type { ToolCallPart } from "../contract/message.ts";

const MAX_CHARS = 40;

export function toolHint(calls: readonly ToolCallPart[]): string {
  return calls.map(hintOf).join(", ");
}

function hintOf(call: ToolCallPart): string {
  const values =
    typeof call.input === "object" && call.input !== null && !Array.isArray(call.input)
      ? Object.values(call.input)
      : [];
  const first = values.find((value) => typeof value === "string");
  if (typeof first !== "string") return call.name;
  return `${call.name}("${[...first].length > MAX_CHARS ? `${[...first].slice(0, MAX_CHARS).join("")}…` : first}")`;
}
