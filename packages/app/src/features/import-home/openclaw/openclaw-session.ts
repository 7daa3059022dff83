// OpenClaw's session lines in the seeds' form: one row per message, content as text, calls in OpenAI form. Its entries form
// a tree; each way from the first entry to a last one is a conversation.
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import { listOf, objectOf, parseJson, textOf } from "../json.ts";
import { MEDIA, type Pictures } from "../sessions.ts";

/** One way through the tree. */
export interface Branch {
  /** Id of its last entry; undefined for the one that goes on. */
  readonly leaf?: string;
  readonly text: string;
}

/** The branch that goes on comes first: it is the one the last entry is on. */
export function branchesOf(
  text: string,
  pictures: () => Pictures,
): readonly (Branch & { readonly pictures: Pictures })[] {
  const lines = text.split("\n");
  return waysThrough(lines).map(({ leaf, includes }) => {
    const own = pictures();
    const kept = lines.map((line, index) => (includes(index) ? line : "")).join("\n");
    return { ...(leaf !== undefined && { leaf }), text: transcriptOf(kept, own), pictures: own };
  });
}

interface Way {
  readonly leaf?: string;
  readonly includes: (line: number) => boolean;
}

/** Lines of a file without a tree, or of which some cannot be read, are one way. */
function waysThrough(lines: readonly string[]): readonly Way[] {
  const parents = new Map<string, string | undefined>();
  const lineOf = new Map<string, number>();
  const spoken = new Set<string>();
  lines.forEach((line, index) => {
    const entry = line.trim() === "" ? undefined : parseJson(line);
    if (!isRecord(entry) || entry["type"] === "session") return;
    const id = textOf(entry["id"]);
    if (id === undefined) return;
    parents.set(id, textOf(entry["parentId"]));
    lineOf.set(id, index);
    if (entry["type"] === "message") spoken.add(id);
  });
  const all: Way = { includes: () => true };
  const withChildren = new Set(parents.values());
  const leaves = [...parents.keys()].filter((id) => !withChildren.has(id));
  if (leaves.length < 2) return [all];
  const pathTo = (leaf: string): ReadonlySet<string> => {
    const path = new Set<string>();
    for (let at: string | undefined = leaf; at !== undefined && !path.has(at); at = parents.get(at)) path.add(at);
    return path;
  };
  const onTree = new Set(lineOf.values());
  const taken = new Set<string>();
  const ways: Way[] = [];
  for (const [number, leaf] of leaves.toReversed().entries()) {
    const path = pathTo(leaf);
    // A branch on which nothing was said, a changed model for instance, is none.
    if (number > 0 && ![...path].some((id) => spoken.has(id) && !taken.has(id))) continue;
    for (const id of path) taken.add(id);
    const own = new Set([...path].map((id) => lineOf.get(id)));
    ways.push({ ...(number > 0 && { leaf }), includes: (line) => !onTree.has(line) || own.has(line) });
  }
  return ways;
}

/**
 * Line by line, so that the reader names lines as they stand in the file: one that is no message becomes empty, one that
 * cannot be read stays, and so does a role that the reader does not know.
 */
export function transcriptOf(text: string, pictures: Pictures): string {
  const lines = text.split("\n").map((line): string => {
    if (line.trim() === "") return "";
    const entry = parseJson(line);
    if (!isRecord(entry)) return line;
    if (entry["type"] === "session") return JSON.stringify({ created_at: entry["timestamp"] ?? null });
    if (entry["type"] !== "message") return "";
    const message = objectOf(entry["message"]);
    return JSON.stringify({
      ...rowOf(message, pictures),
      timestamp: stampOf(entry["timestamp"] ?? message["timestamp"]),
    });
  });
  return lines.join("\n");
}

/** What is in the file and in none of its conversations, by line: words that are no message of anybody. */
export function notesOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line, index) => {
    const entry = objectOf(parseJson(line));
    const said = textOf(entry["summary"]) ?? (entry["type"] === "custom_message" ? "" : undefined);
    return said === undefined ? [] : [`line ${String(index + 1)}: ${String(entry["type"])}; left out`];
  });
}

function rowOf(message: JsonObject, pictures: Pictures): JsonObject {
  const { role = null, content = null } = message;
  if (typeof content === "string") return { ...whose(message, role), content };
  const parts = listOf(content).map(objectOf);
  const calls = parts.filter((part) => part["type"] === "toolCall");
  const media = parts.map((part) => imageOf(part, pictures)).filter((part) => part !== undefined);
  // Thoughts are no part of a transcript; of everything else the reader keeps a trace.
  const said = parts.filter((part) => part["type"] !== "toolCall" && part["type"] !== "thinking");
  return {
    ...whose(message, role),
    content: said.map((part) => (part["type"] === "image" ? { type: "image" } : part)),
    ...(media.length > 0 && { [MEDIA]: media }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function imageOf(part: JsonObject, pictures: Pictures): Json | undefined {
  if (part["type"] !== "image") return undefined;
  const source = objectOf(part["source"]);
  const data = textOf(part["data"]) ?? textOf(source["data"]);
  const type = textOf(part["mimeType"]) ?? textOf(source["media_type"]);
  return data === undefined || type === undefined ? undefined : pictures.ofBase64(data, type);
}

function whose(message: JsonObject, role: Json): JsonObject {
  if (role !== "toolResult") return { role };
  return { role: "tool", tool_call_id: message["toolCallId"] ?? "", name: message["toolName"] ?? "tool" };
}

/** Milliseconds, or a text. */
function stampOf(value: Json | undefined): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" && Math.abs(value) < 8.64e15 ? new Date(value).toISOString() : null;
}
