// OpenClaw's session lines in the seeds' form: one row per message, content as text, calls in OpenAI form.
import type { Json, JsonObject } from "@margay/core";
import { isObject, listOf, objectOf, parseJson, textOf } from "./json.ts";

/** Lines that are no message are left out; a line that cannot be read stays, so that the reader names it. */
export function transcriptOf(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const rows = lines.flatMap((line): readonly string[] => {
    const entry = parseJson(line);
    if (!isObject(entry)) return [line];
    if (entry["type"] === "session") return [JSON.stringify({ created_at: entry["timestamp"] ?? null })];
    if (entry["type"] !== "message") return [];
    const row = rowOf(objectOf(entry["message"]));
    return row === undefined ? [] : [JSON.stringify({ ...row, timestamp: entry["timestamp"] ?? null })];
  });
  return rows.join("\n");
}

function rowOf(message: JsonObject): JsonObject | undefined {
  const { role, content } = message;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(objectOf);
  const text = parts.flatMap((part) => (part["type"] === "text" ? [textOf(part["text"]) ?? ""] : [])).join("\n");
  if (role === "user") return { role, content: text };
  if (role === "toolResult")
    return {
      role: "tool",
      tool_call_id: message["toolCallId"] ?? "",
      name: message["toolName"] ?? "tool",
      content: text,
    };
  if (role !== "assistant") return undefined;
  const calls = parts.filter((part) => part["type"] === "toolCall").map(callOf);
  return { role, content: text, ...(calls.length > 0 && { tool_calls: calls }) };
}

function callOf(part: JsonObject): Json {
  const call = { name: part["name"] ?? "", arguments: JSON.stringify(part["arguments"] ?? {}) };
  return { id: part["id"] ?? "", type: "function", function: call };
}
