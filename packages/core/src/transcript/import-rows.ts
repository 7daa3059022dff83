// Rows of a foreign transcript → rows with every call answered exactly once.
import type { Json, JsonObject } from "../contract/base.ts";
import { imagePlaceholder, type TranscriptRow } from "./rows.ts";

const NO_RESULT = "(no result was recorded)";
/** Never part of a transcript; nanobot's later versions store them. */
const REASONING = ["reasoning_content", "reasoning", "thinking_blocks"];

/** A row as it stood in the file. `position` counts rows from 0, before any repair. */
export interface RawRow {
  readonly line: number;
  readonly position: number;
  readonly value: JsonObject;
  readonly timestamp: string;
}
export interface RepairedRow {
  readonly row: TranscriptRow;
  /** Position in the file; of its calling row for a result that was filled in. */
  readonly position: number;
}

export function repairRows(raw: readonly RawRow[], warn: (text: string) => void): readonly RepairedRow[] {
  const out: RepairedRow[] = [];
  let open: { readonly ids: Map<string, string>; readonly position: number; readonly timestamp: string } | undefined;
  const fill = (): void => {
    for (const [id, name] of open?.ids ?? []) {
      warn(`call ${id} had no result; a note was put in its place`);
      const { position, timestamp } = open ?? { position: 0, timestamp: "" };
      out.push({ position, row: { role: "tool", tool_call_id: id, name, content: NO_RESULT, timestamp } });
    }
    open = undefined;
  };
  for (const { line, position, value, timestamp } of raw) {
    const row = { ...without(value, REASONING), content: text(value["content"]), timestamp } as TranscriptRow; // role is checked by the caller
    if (row.role === "tool") {
      const id = row["tool_call_id"];
      const name = typeof id === "string" ? open?.ids.get(id) : undefined;
      if (typeof id !== "string" || name === undefined) {
        warn(`line ${line}: a result for a call that was not made or was answered already; dropped`);
        continue;
      }
      open?.ids.delete(id);
      out.push({
        position,
        row: { ...row, content: row.content ?? "", ...(typeof row["name"] !== "string" && { name }) },
      });
      continue;
    }
    fill();
    if (row.role === "user") {
      out.push({ position, row: { ...row, content: row.content ?? "" } });
      continue;
    }
    const calls = usableCalls(value["tool_calls"], (what) => warn(`line ${line}: ${what}; dropped`));
    const { tool_calls: _calls, ...plain } = row;
    out.push({
      position,
      row: (calls.length > 0 ? keepOrder(row, calls) : { ...plain, content: row.content ?? "" }) as TranscriptRow,
    }); // same fields
    if (calls.length > 0)
      open = { ids: new Map(calls.map((call) => [call.id, call.function.name])), position, timestamp };
  }
  fill();
  return out;
}

export interface ImportedCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Calls in OpenAI form. What has no id or name, or an id that its row used already, cannot be paired with a result. */
export function usableCalls(value: Json | undefined, warn: (what: string) => void): readonly ImportedCall[] {
  if (!Array.isArray(value)) return [];
  const calls: ImportedCall[] = [];
  for (const item of value as readonly Json[]) {
    const call = asObject(item);
    const body = asObject(call?.["function"]) ?? call;
    const id = call?.["id"];
    const name = body?.["name"];
    const input = body?.["arguments"] ?? {};
    if (typeof id !== "string" || id === "" || typeof name !== "string" || name === "")
      warn("a call without id or name");
    else if (calls.some((other) => other.id === id)) warn(`a second call with the id ${id}`);
    else
      calls.push({
        id,
        type: "function",
        function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
      });
  }
  return calls;
}

export function asObject(value: Json | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined; // neither null nor array
}

/** Content as one text; blocks of other systems are joined, images become placeholders. */
function text(content: Json | undefined): string | null {
  if (content === null || content === undefined) return null;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return (content as readonly Json[])
    .map((block) => {
      const part = asObject(block);
      if (part === undefined) return typeof block === "string" ? block : JSON.stringify(block);
      if (typeof part["text"] === "string") return part["text"];
      return part["type"] === "image_url" || part["type"] === "image"
        ? imagePlaceholder(undefined)
        : `[${String(part["type"] ?? "part")}]`;
    })
    .join("\n");
}

function keepOrder(row: TranscriptRow, calls: readonly ImportedCall[]): JsonObject {
  return { ...row, tool_calls: calls.map((call) => ({ ...call, function: { ...call.function } })) };
}

function without(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}
