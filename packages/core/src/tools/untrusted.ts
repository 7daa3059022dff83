/** What strangers wrote is data: how results with it are told apart and marked. */
import type { JsonObject } from "../contract/base.ts";
import type { ContentPart } from "../contract/message.ts";
import type { ToolResult } from "../contract/tool.ts";
import { liesIn } from "../lib/paths/path-class.ts";
import { UNTRUSTED_MARK } from "../lib/neutral.ts";

export { UNTRUSTED_MARK };

/** By the real path of a file, relative to the workspace. */
export type UntrustedTest = (path: string, signal: AbortSignal) => Promise<boolean>;

/** @param places Directories of the workspace whose files came from strangers. @param other The same for other files. */
export function untrustedTest(places: readonly string[], other?: UntrustedTest): UntrustedTest {
  return (path, signal) =>
    Promise.resolve(places.some((place) => liesIn(place, path)) || other?.(path, signal)).then(Boolean);
}

/** The mark on the first line, and the label that the journal and the policy go by. */
export function asUntrusted(result: ToolResult): Exclude<ToolResult, string> {
  const { parts, ...other } = typeof result === "string" ? { parts: [textPart(result)] } : result;
  const [first, ...rest] = parts;
  const marked =
    first?.type === "text"
      ? [textPart(`${UNTRUSTED_MARK}\n${first.text}`), ...rest]
      : [textPart(UNTRUSTED_MARK), ...parts];
  return { ...other, parts: marked, integrity: "untrusted" };
}

/** Who may see it: the policy keeps it from searches and made-up addresses. */
export function withConfidentiality(
  result: ToolResult,
  confidentiality: "personal" | "sensitive",
): Exclude<ToolResult, string> {
  return typeof result === "string" ? { parts: [textPart(result)], confidentiality } : { ...result, confidentiality };
}

/** Beside the result, for programs and for what people are shown of it. */
export function withDetails(result: ToolResult, more: JsonObject | undefined): ToolResult {
  if (more === undefined) return result;
  const { details, ...rest } = typeof result === "string" ? { parts: [textPart(result)], details: undefined } : result;
  const known = typeof details === "object" && details !== null && !Array.isArray(details) ? details : {};
  return { ...rest, details: { ...known, ...more } };
}

function textPart(text: string): ContentPart {
  return { type: "text", text };
}
