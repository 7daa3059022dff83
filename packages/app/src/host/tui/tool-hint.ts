/** One line that tells what a call does. */
import type { Json } from "@margay/core";

const MAX_ARGUMENT_CHARS = 40;

/** `web_search("query")`: name and first string argument. */
export function toolHint(name: string, input: Json): string {
  const argument =
    typeof input === "object" && input !== null && !Array.isArray(input)
      ? Object.values(input).find((value) => typeof value === "string")
      : undefined;
  if (argument === undefined) return name;
  const letters = [...argument.replace(/\s+/g, " ")];
  return `${name}("${letters.length > MAX_ARGUMENT_CHARS ? `${letters.slice(0, MAX_ARGUMENT_CHARS).join("")}…` : letters.join("")}")`;
}
