// Reads a transcript of ours or a nanobot session file into what `history.imported` stores.
import type { CallId, Json, JsonObject, Millis } from "../contract/base.ts";
import type { AssistantPart, ContentPart, MediaPart, Message, ToolCallPart } from "../contract/message.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { NO_USAGE } from "../lib/usage.ts";
import { parseZoned } from "../lib/zoned-time.ts";
import { asObject, repairRows, usableCalls, type RawRow } from "./import-rows.ts";
import { imagePlaceholder, isoTime, type TranscriptRow } from "./rows.ts";

export interface ImportedTranscript {
  /** Absent when the file does not say: older nanobot files have it in their name only. */
  readonly key?: string;
  /** 0 when nothing in the file has a time. */
  readonly createdAt: Millis;
  /** Of its last row. */
  readonly updatedAt: Millis;
  /** What enters the context: rows after the pointer, from the first user row on. */
  readonly messages: readonly Message[];
  /** All rows, repaired, unknown fields kept. */
  readonly transcript: readonly TranscriptRow[];
  readonly rows: number;
  /** The pointer, in repaired rows. */
  readonly consolidated: number;
  /** What was repaired, in words, for the person who imports. */
  readonly warnings: readonly string[];
}

export interface ParseOptions {
  /** IANA zone in which times without one are read (nanobot writes local times). */
  readonly timeZone: string;
  /** What was sent with a row. Absent: nothing, whatever the row says. */
  readonly media?: (row: JsonObject) => readonly MediaPart[];
}

/**
 * @throws RuntimeError `session.import` naming the first line that is not a row.
 */
export function parseTranscript(text: string, { timeZone, media = () => [] }: ParseOptions): ImportedTranscript {
  const warnings: string[] = [];
  const warn = (warning: string): void => void warnings.push(warning);
  const { metadata, rows: raw } = readLines(text, timeZone, warn);
  const repaired = repairRows(raw, warn);
  const transcript = repaired.map((item) => item.row);
  const pointer = legalPointer(metadata?.["last_consolidated"], raw.length, warn);
  // Rows may have been dropped or added before the pointer: it stays between the same two rows of the file.
  const consolidated = repaired.filter((item) => item.position < pointer).length;
  const key = metadata?.["key"];
  return {
    ...(typeof key === "string" && key !== "" && { key }),
    createdAt: timeOf(metadata?.["created_at"], timeZone) ?? timeOf(transcript[0]?.timestamp, timeZone) ?? 0,
    updatedAt: timeOf(transcript.at(-1)?.timestamp, timeZone) ?? timeOf(metadata?.["updated_at"], timeZone) ?? 0,
    messages: messagesOf(transcript.slice(consolidated), media),
    transcript,
    rows: transcript.length,
    consolidated,
    warnings,
  };
}

function readLines(
  text: string,
  timeZone: string,
  warn: (text: string) => void,
): { readonly metadata: JsonObject | undefined; readonly rows: readonly RawRow[] } {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  const rows: RawRow[] = [];
  let metadata: JsonObject | undefined;
  let time: string | undefined;
  lines.forEach((line, index) => {
    if (line.trim() === "") return;
    const value = parseLine(line);
    if (value === undefined) {
      // A crash of the other system can leave half a line at the end, as it can here.
      if (index === lines.length - 1 && index > 0) return warn(`line ${index + 1}: torn; dropped`);
      throw new RuntimeError(
        "session.import",
        `Line ${index + 1} is not a JSON object. Check that the file is a transcript in JSON lines.`,
      );
    }
    const role = value["role"];
    if (role === undefined) {
      if (metadata !== undefined || rows.length > 0) return warn(`line ${index + 1}: no role; dropped`);
      metadata = value;
      return;
    }
    if (role !== "user" && role !== "assistant" && role !== "tool")
      return warn(`line ${index + 1}: role ${JSON.stringify(role)} is not part of a transcript; dropped`);
    const stamp = timeOf(value["timestamp"], timeZone);
    time = stamp === undefined ? (time ?? isoTime(timeOf(metadata?.["created_at"], timeZone) ?? 0)) : isoTime(stamp);
    rows.push({ line: index + 1, position: rows.length, value, timestamp: time });
  });
  if (metadata === undefined && rows.length === 0)
    throw new RuntimeError("session.import", "The file has no rows. Check that it is a transcript in JSON lines.");
  return { metadata, rows };
}

function parseLine(line: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(line) as Json); // JSON.parse makes JSON
  } catch {
    return undefined; // the caller says which line
  }
}

function legalPointer(value: Json | undefined, rows: number, warn: (text: string) => void): number {
  if (value === undefined) return 0;
  const pointer = typeof value === "number" && Number.isInteger(value) ? Math.min(rows, Math.max(0, value)) : 0;
  if (pointer !== value)
    warn(`last_consolidated ${JSON.stringify(value)} is not between 0 and ${rows}; ${pointer} is used`);
  return pointer;
}

function timeOf(value: Json | undefined, timeZone: string): Millis | undefined {
  return typeof value === "string" ? parseZoned(value, timeZone) : undefined;
}

/** Messages with our own ids: those of the file may repeat from turn to turn. */
function messagesOf(rows: readonly TranscriptRow[], media: NonNullable<ParseOptions["media"]>): readonly Message[] {
  const messages: Message[] = [];
  const ids = new Map<string, CallId>();
  const start = rows.findIndex((row) => row.role === "user");
  for (const [index, row] of (start === -1 ? [] : rows.slice(start)).entries()) {
    const at = Date.parse(row.timestamp);
    const content = row.content ?? "";
    if (row.role === "user") {
      const from =
        row["system"] === true ? ({ id: "system", kind: "agent" } as const) : ({ id: "user", kind: "person" } as const);
      messages.push({
        role: "user",
        id: `import-${index + 1}`,
        at,
        from,
        parts: withMedia(content, media(row)),
      });
    } else if (row.role === "assistant") {
      ids.clear();
      const calls = usableCalls(row["tool_calls"], () => {}).map((call, number): ToolCallPart => {
        const callId = `import-${index + 1}-${number + 1}` as CallId; // minted here: unique in the session
        ids.set(call.id, callId);
        return { type: "tool-call", callId, name: call.function.name, ...argumentsOf(call.function.arguments) };
      });
      const parts: readonly AssistantPart[] = [
        ...(content.trim() === "" ? [] : [{ type: "text" as const, text: content }]),
        ...calls,
      ];
      if (parts.length > 0)
        messages.push({
          role: "assistant",
          at,
          model: { provider: "import", model: "unknown" },
          parts,
          finish: calls.length > 0 ? "tool-calls" : "stop",
          usage: NO_USAGE,
        });
    } else {
      const callId = ids.get(String(row["tool_call_id"]));
      if (callId !== undefined)
        messages.push({
          role: "tool",
          at,
          callId,
          name: String(row["name"] ?? "tool"),
          parts: withMedia(content, media(row)),
          status: "ok",
          integrity: "untrusted", // a transcript does not say which results strangers wrote
        });
    }
  }
  return messages;
}

/** A message has something in it; what stands in a row for a picture is not said beside the picture. */
function withMedia(content: string, media: readonly MediaPart[]): readonly ContentPart[] {
  const marks = new Set(media.map(({ name }) => imagePlaceholder(name)));
  const text =
    media.length === 0
      ? content
      : content
          .split("\n")
          .filter((line) => !marks.has(line))
          .join("\n");
  if (text === "" && media.length > 0) return media;
  return [{ type: "text", text: text === "" ? "(empty message)" : text }, ...media];
}

function argumentsOf(text: string): Pick<ToolCallPart, "input" | "inputText"> {
  const input = parseLine(text) ?? {};
  return { input, ...(JSON.stringify(input) !== text && { inputText: text }) };
}
