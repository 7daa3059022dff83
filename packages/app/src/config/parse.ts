/** JSON text → object, with line and column when it is not JSON. */
import type { JsonObject } from "@margay/core";
import { jsonErrorOffset } from "./json-error.ts";

export type Parsed =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly line: number; readonly column: number; readonly reason: string };

/** A byte order mark is tolerated. An empty file is not: it is one that is being written, or was lost. */
export function parseConfig(text: string): Parsed {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (body.trim() === "") return { ok: false, line: 1, column: 1, reason: "the file is empty" };
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { ok: true, value: value as JsonObject }; // from JSON.parse
    return { ok: false, line: 1, column: 1, reason: "not an object" };
  } catch (error) {
    const at = jsonErrorOffset(body);
    const before = body.slice(0, at).split("\n");
    return { ok: false, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, reason: reasonOf(error) };
  }
}

/** V8 quotes the text around the error, which may hold a secret: only the first words are kept. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  return (
    /^(Unexpected (?:token '.'|end of JSON input|non-whitespace character after JSON|string|number)|Expected [^"]*?(?= in JSON)|Unterminated string|Bad control character|Bad escaped character|Expected double-quoted property name)/u.exec(
      message,
    )?.[0] ?? "not JSON"
  );
}
