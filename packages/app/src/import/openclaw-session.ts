// OpenClaw's session lines in the seeds' form: one row per message, content as text, calls in OpenAI form.
import type { Json, JsonObject } from "@margay/core";
import { isObject, listOf, objectOf, parseJson } from "./json.ts";

/**
 * Line by line, so that the reader names lines as they stand in the file: one that is no message becomes empty, one that
 * cannot be read stays, and so does a role that the reader does not know.
 */
export function transcriptOf(text: string): string {
  const lines = text.split("\n").map((line): string => {
    if (line.trim() === "") return "";
    const entry = parseJson(line);
    if (!isObject(entry)) return line;
    if (entry["type"] === "session") return JSON.stringify({ created_at: entry["timestamp"] ?? null });
    if (entry["type"] !== "message") return "";
    const message = objectOf(entry["message"]);
    return JSON.stringify({ ...rowOf(message), timestamp: entry["timestamp"] ?? timeOf(message["timestamp"]) });
  });
  return lines.join("\n");
}

function rowOf(message: JsonObject): JsonObject {
  const { role = null, content = null } = message;
  if (typeof content === "string") return { ...whose(message, role), content };
  const parts = listOf(content).map(objectOf);
  const calls = parts.filter((part) => part["type"] === "toolCall").map(callOf);
  // Thoughts are no part of a transcript; of everything else the reader keeps a trace.
  const said = parts.filter((part) => part["type"] !== "toolCall" && part["type"] !== "thinking");
  return { ...whose(message, role), content: said, ...(calls.length > 0 && { tool_calls: calls }) };
}

function whose(message: JsonObject, role: Json): JsonObject {
  if (role !== "toolResult") return { role };
  return { role: "tool", tool_call_id: message["toolCallId"] ?? "", name: message["toolName"] ?? "tool" };
}

/** Milliseconds, where the line itself has no time. */
function timeOf(value: Json | undefined): string | null {
  return typeof value === "number" && Math.abs(value) < 8.64e15 ? new Date(value).toISOString() : null;
}

function callOf(part: JsonObject): Json {
  const call = { name: part["name"] ?? "", arguments: JSON.stringify(part["arguments"] ?? {}) };
  return { id: part["id"] ?? "", type: "function", function: call };
}
