/** What a plugin says of itself when its code is asked, and what a call of it gave: nothing of it is believed before it was looked at. */
import type { Effect, JsonObject, ToolResult } from "@margay/core";
import { RuntimeError } from "@margay/core";
import { isRecord, parseJson, type HookAnswer, type HookPoint, type Reach } from "@margay/core/internal";
import { normalizeSchema } from "../../../models/tool-schema.ts";
import { HOOK_POINTS, type PluginManifest, reachOf } from "./manifest.ts";

/** A tool as a person approves it. */
export interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
  readonly effect: Effect;
  readonly reach: Reach;
  readonly timeoutMs?: number;
}
export interface Offer {
  readonly tools: readonly DescribedTool[];
  readonly points: readonly HookPoint[];
}

const NAME = /^[a-zA-Z0-9_-]{1,40}$/;
const MAX_TOOLS = 32;
const MAX_DESCRIPTION_CHARS = 2000;
const MAX_TIMEOUT_MS = 600_000;
const MAX_NOTE_CHARS = 2000;
const MAX_REASON_CHARS = 500;

/** @throws RuntimeError `plugin.invalid`: what it offers is not what its contract asks for. */
export function readOffer(offer: Readonly<Record<string, unknown>>, manifest: PluginManifest): Offer {
  const no = (why: string): RuntimeError =>
    new RuntimeError("plugin.invalid", `The plugin ${manifest.name} cannot be used: ${why}. Ask its authors.`);
  const { contract, name, tools, points } = offer;
  if (contract !== manifest.contract || name !== manifest.name)
    throw no(
      `plugin.json says ${manifest.contract} ${manifest.name}, its code says ${String(contract)} ${String(name)}`,
    );
  if (contract === "hook/1") {
    if (!Array.isArray(points) || points.length === 0) throw no("it stands nowhere: `on` is empty");
    const unknown = points.find((point) => !HOOK_POINTS.some((known) => known === point));
    if (unknown !== undefined) throw no(`it knows no point ${String(unknown)}`);
    return { tools: [], points: HOOK_POINTS.filter((point) => points.includes(point)) };
  }
  if (!Array.isArray(tools) || tools.length === 0) throw no("it has no tools");
  if (tools.length > MAX_TOOLS) throw no(`it has more than ${MAX_TOOLS} tools`);
  const described = tools.map((tool: unknown) => describedTool(tool, manifest, no));
  const names = new Set(described.map((tool) => tool.name.toLowerCase()));
  if (names.size < described.length) throw no("two of its tools have one name");
  return { tools: described.toSorted((a, b) => (a.name < b.name ? -1 : 1)), points: [] };
}

function describedTool(value: unknown, manifest: PluginManifest, no: (why: string) => RuntimeError): DescribedTool {
  if (!isRecord(value)) throw no("one of its tools is no object");
  const { name, description, input, effect, reach, timeoutMs } = value;
  if (typeof name !== "string" || !NAME.test(name)) throw no(`the name of a tool must fit ${NAME.source}`);
  if (typeof description !== "string" || description.trim() === "" || description.length > MAX_DESCRIPTION_CHARS)
    throw no(`the description of ${name} must have 1 to ${MAX_DESCRIPTION_CHARS} characters`);
  if (!isRecord(input)) throw no(`the input of ${name} is no JSON Schema`);
  const schema = normalizeSchema(input);
  if (!schema.ok) throw no(`the tool ${name}: ${schema.reason}`);
  if (effect !== "read" && effect !== "idempotent" && effect !== "write")
    throw no(`the effect of ${name} must be read, idempotent or write`);
  if (reach !== undefined && reach !== "local" && reach !== "remote" && reach !== "command")
    throw no(`the reach of ${name} must be local, remote or command`);
  if (
    timeoutMs !== undefined &&
    !(Number.isInteger(timeoutMs) && Number(timeoutMs) >= 1 && Number(timeoutMs) <= MAX_TIMEOUT_MS)
  )
    throw no(`timeoutMs of ${name} must be from 1 to ${MAX_TIMEOUT_MS}`);
  return {
    ...{ name, description, input: schema.schema, effect, reach: reachOf(manifest, reach) },
    ...(timeoutMs !== undefined && { timeoutMs: Number(timeoutMs) }),
  };
}

/** @param kept SHA-256 of what this call has put into the blob store. @returns undefined: it is no result. */
export function readResult(value: unknown, kept: ReadonlySet<string>): ToolResult | undefined {
  if (typeof value === "string") return value;
  if (!isRecord(value) || !Array.isArray(value["parts"])) return undefined;
  const parts = value["parts"].map((part: unknown) => readPart(part, kept));
  if (parts.some((part) => part === undefined)) return undefined;
  const details = value["details"];
  return {
    parts: parts.flatMap((part) => part ?? []),
    ...(value["isError"] === true && { isError: true }),
    ...(details !== undefined && { details: parseJson(JSON.stringify(details)) as JsonObject }), // came as JSON
  };
}

function readPart(part: unknown, kept: ReadonlySet<string>): Exclude<ToolResult, string>["parts"][number] | undefined {
  if (!isRecord(part)) return undefined;
  const { type, text, mediaType, blob, name } = part;
  if (type === "text") return typeof text === "string" ? { type, text } : undefined;
  if (type !== "media" || typeof mediaType !== "string" || !isRecord(blob)) return undefined;
  const { sha256, bytes } = blob;
  // guard: a blob that the call did not put there is somebody else's.
  if (typeof sha256 !== "string" || typeof bytes !== "number" || !kept.has(sha256)) return undefined;
  return { type, mediaType, blob: { sha256, bytes }, ...(typeof name === "string" && { name: name.slice(0, 200) }) };
}

/** @returns `"wrong"`: it is no answer of that point. */
export function readAnswer(value: unknown, mayDeny: boolean): HookAnswer | "wrong" {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) return "wrong";
  const { note, deny, reason } = value;
  if (typeof note === "string" && deny === undefined)
    return note.trim() === "" ? undefined : { note: note.slice(0, MAX_NOTE_CHARS) };
  if (deny === true && typeof reason === "string" && mayDeny)
    return { deny, reason: reason.slice(0, MAX_REASON_CHARS) };
  return "wrong";
}
