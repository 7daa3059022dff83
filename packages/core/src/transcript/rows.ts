// Messages as transcript rows in the seeds' format: cut results, image placeholders, no reasoning, no notices.
import type { Json, JsonObject, Millis } from "../contract/base.ts";
import type {
  AssistantMessage,
  ContentPart,
  Message,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import { truncate } from "../lib/text.ts";

export interface TranscriptRow extends JsonObject {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string | null;
  /** UTC, ISO 8601 with milliseconds. */
  readonly timestamp: string;
}
export interface RowOptions {
  /** `sessions.toolResultChars`. */
  readonly toolResultChars: number;
}

/** A message from the runtime or a schedule is marked: it was not typed by a person. */
export function userRow(message: UserMessage): TranscriptRow {
  return {
    role: "user",
    content: message.parts.map(plain).join("\n"),
    ...(message.from.kind !== "person" && { system: true }),
    timestamp: isoTime(message.at),
  };
}

/** `content` is null when the model called tools without a word. */
export function assistantRow(message: AssistantMessage): TranscriptRow {
  const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const calls = callsOf(message);
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(calls.length > 0 && { tool_calls: calls.map(openAiCall) }),
    timestamp: isoTime(message.at),
  };
}

/** What was sent here unasked, marked with who sent it. */
export function postedRow(
  { from, text }: Extract<JournalRecord, { type: "message.posted" }>,
  at: Millis,
): TranscriptRow {
  return { role: "assistant", content: text, source: from.id, timestamp: isoTime(at) };
}

export function toolRow(message: ToolMessage, { toolResultChars }: RowOptions): TranscriptRow {
  const text = message.parts
    .filter((part) => part.type === "text")
    .map(plain)
    .join("\n");
  const images = message.parts.filter((part) => part.type === "media").map(plain);
  const content = [...(text === "" && images.length > 0 ? [] : [truncate(text, toolResultChars)]), ...images].join(
    "\n",
  );
  return { role: "tool", tool_call_id: message.callId, name: message.name, content, timestamp: isoTime(message.at) };
}

/** Rows of messages that came without a transcript: an embedder's prior context. */
export function messageRows(messages: readonly Message[], options: RowOptions): readonly TranscriptRow[] {
  return messages.flatMap((message): readonly TranscriptRow[] => {
    switch (message.role) {
      case "user":
        return [userRow(message)];
      case "assistant":
        return [assistantRow(message)];
      case "tool":
        return [toolRow(message, options)];
      case "notice":
        return [];
    }
  });
}

/** The rows of one turn as they are stored: results in call order, `tools_used` on the last assistant row. */
export function finishTurn(rows: readonly TranscriptRow[], toolsUsed: readonly string[]): readonly TranscriptRow[] {
  const ordered = inCallOrder(rows);
  const last = ordered.findLastIndex((row) => row.role === "assistant");
  if (toolsUsed.length === 0 || last === -1) return ordered;
  return ordered.map((row, index) => {
    if (index !== last) return row;
    const { timestamp, ...rest } = row;
    return { ...rest, tools_used: toolsUsed, timestamp } as TranscriptRow; // the same fields and one more
  });
}

export function isoTime(at: Millis): string {
  return new Date(at).toISOString();
}

/** `[image: {name}]`: how an image reads in rows and in later epochs. */
export function imagePlaceholder(name: string | undefined): string {
  return `[image: ${name ?? "image"}]`;
}

function plain(part: ContentPart): string {
  return part.type === "text" ? part.text : imagePlaceholder(part.name);
}

function callsOf(message: AssistantMessage): readonly ToolCallPart[] {
  return message.parts.filter((part) => part.type === "tool-call");
}

function openAiCall(call: ToolCallPart): JsonObject {
  return {
    id: call.callId,
    type: "function",
    function: { name: call.name, arguments: call.inputText ?? JSON.stringify(call.input) },
  };
}

/** Parallel calls finish in any order; the rows after a calling row follow the order of its calls. */
function inCallOrder(rows: readonly TranscriptRow[]): readonly TranscriptRow[] {
  const out: TranscriptRow[] = [];
  for (let index = 0; index < rows.length;) {
    const row = rows[index++];
    if (row === undefined) break;
    out.push(row);
    if (row.role !== "assistant") continue;
    const order = callIds(row);
    const start = index;
    while (rows[index]?.role === "tool") index++;
    const position = (item: TranscriptRow): number => order.indexOf(item["tool_call_id"] ?? null);
    out.push(...rows.slice(start, index).toSorted((a, b) => position(a) - position(b)));
  }
  return out;
}

function callIds(row: TranscriptRow): readonly Json[] {
  const calls = row["tool_calls"];
  return Array.isArray(calls)
    ? calls.map((call: Json) => (typeof call === "object" && call !== null && "id" in call ? call.id : null))
    : [];
}
