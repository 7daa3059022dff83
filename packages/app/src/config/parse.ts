/** JSON text, with comments of the person, → object, or line and column where it stops being that. */
import type { JsonObject } from "@margay/core";
import { parse, stripComments, type ParseError } from "jsonc-parser";

export type Parsed =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly line: number; readonly column: number; readonly reason: string };

/** A byte order mark is tolerated. An empty file is not: it is one that is being written, or was lost. */
export function parseConfig(text: string): Parsed {
  const body = withoutMark(text);
  if (body.trim() === "") return { ok: false, line: 1, column: 1, reason: "the file is empty" };
  try {
    const value: unknown = parsed(body);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { ok: true, value: value as JsonObject }; // from JSON.parse
    return { ok: false, line: 1, column: 1, reason: "not an object" };
  } catch (error) {
    const before = body.slice(0, jsonErrorOffset(body)).split("\n");
    return { ok: false, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, reason: reasonOf(error) };
  }
}

export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** By JSON.parse: `__proto__` is a name to it, and no prototype. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    const plain = stripComments(body, " ");
    if (plain === body) throw error;
    return JSON.parse(plain);
  }
}

/**
 * V8 names the place for some errors only, and quotes what may be a secret.
 * @returns The offset of the first token that cannot stand there; the length when the text ends too early or is whole.
 */
export function jsonErrorOffset(text: string): number {
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: false });
  return errors[0]?.offset ?? text.length;
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
