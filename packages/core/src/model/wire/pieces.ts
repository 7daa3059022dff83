// One message as the pieces that a wire writes: text made well-formed, ids it takes, opaque state for its owner only.
import { textOf } from "../../lib/text.ts";
import type { Json, JsonObject } from "../../contract/base.ts";
import type {
  AssistantMessage,
  ContentPart,
  MediaPart,
  TextPart,
  ToolCallPart,
  ToolMessage,
} from "../../contract/message.ts";
import { fingerprint } from "../../lib/hash.ts";
import { asRecord } from "../failure-text.ts";
import type { Quirks } from "../quirks.ts";
import { isBroken } from "./arguments.ts";

/** Who will read: only its own reasoning is given back to it. */
export interface Reader {
  readonly provider: string;
  readonly model: string;
  readonly quirks: Required<Quirks>;
}
export type Piece = TextPart | MediaPart;
/** State of a provider by the name of its API, as its answer left it. */
export type State = Readonly<Record<string, Readonly<Record<string, Json>>>>;
export type AnswerPiece =
  | TextPart
  | { readonly type: "thinking"; readonly text: string; readonly state?: State }
  | {
      readonly type: "call";
      readonly id: string;
      readonly name: string;
      readonly part: ToolCallPart;
      readonly state?: State;
    };
export interface ResultPieces {
  readonly id: string;
  readonly name: string;
  /** Only where a text says so. */
  readonly failed: boolean;
  readonly content: string | readonly Piece[];
}

export function userPieces(parts: readonly ContentPart[]): readonly Piece[] {
  // Anthropic rejects empty text blocks.
  const pieces = parts.flatMap((part): Piece[] =>
    part.type === "media" ? [part] : part.text === "" ? [] : [{ type: "text", text: part.text.toWellFormed() }],
  );
  return pieces.length > 0 ? pieces : [{ type: "text", text: "(empty message)" }];
}

export function answerPieces(message: AssistantMessage, reader: Reader): readonly AnswerPiece[] {
  const { quirks } = reader;
  // Newer models reject another model's reasoning even from the same vendor.
  const foreign = message.model.provider === reader.provider && message.model.model !== reader.model;
  const provider = foreign ? undefined : reader.provider;
  const pieces: AnswerPiece[] = [];
  for (const part of message.parts) {
    switch (part.type) {
      case "text":
        if (part.text.trim() !== "") pieces.push({ type: "text", text: part.text.toWellFormed() });
        break;
      case "thinking": {
        const own = ownState(part.opaque, provider);
        // The Responses API stores nothing for us, so an item without its encrypted content cannot be found there.
        if (own !== undefined && (quirks.wire !== "openai-responses" || isEncrypted(own.state)))
          pieces.push({ type: "thinking", text: part.text.toWellFormed(), ...own });
        break;
      }
      case "tool-call": {
        const { callId, name, opaque } = part;
        const id = wireCallId(callId, quirks.callIds);
        pieces.push({ type: "call", id, name: wireToolName(name), part, ...ownState(opaque, provider) });
        break;
      }
    }
  }
  return pieces;
}

export function resultPieces(message: ToolMessage, quirks: Required<Quirks>): ResultPieces {
  const place = { id: wireCallId(message.callId, quirks.callIds), name: wireToolName(message.name) };
  const images = message.parts.filter((part) => part.type === "media").length;
  if (quirks.toolResultImages && images > 0) return { ...place, failed: false, content: userPieces(message.parts) };
  const text = textOf(message.parts).toWellFormed();
  const shown = images > 0 && text === "" ? `[${images} ${images === 1 ? "image follows" : "images follow"}]` : text;
  return { ...place, failed: message.status !== "ok", content: shown };
}

/** The images of a result for a wire that takes them only from the user, with a line that says whose they are. */
export function laterPieces(message: ToolMessage, quirks: Required<Quirks>): readonly Piece[] {
  if (quirks.toolResultImages) return [];
  const parts = message.parts.filter((part) => part.type === "media");
  return parts.length === 0
    ? []
    : [{ type: "text", text: `[from the result of ${wireToolName(message.name)}]` }, ...parts];
}

export function missingResult({ callId, name }: ToolCallPart, quirks: Required<Quirks>): ResultPieces {
  return {
    id: wireCallId(callId, quirks.callIds),
    name: wireToolName(name),
    failed: false,
    content: "Error: no result; the call was interrupted and may have taken effect.",
  };
}

/** A result whose call is not in sight would be rejected; as text it still says what happened. */
export function orphanPieces(message: ToolMessage): readonly Piece[] {
  return [{ type: "text", text: `[Earlier result of ${message.name}]\n${textOf(message.parts)}`.toWellFormed() }];
}

/** For wires that carry text: the model's own. */
export function sentText(part: ToolCallPart, quirks: Required<Quirks>): string {
  const { inputText } = part;
  if (inputText === undefined) return JSON.stringify(sentObject(part));
  if (inputText.trim() === "") return "{}";
  return isBroken(part) && quirks.brokenArguments === "object" ? "{}" : inputText.toWellFormed();
}

/** For wires that carry objects: `{}` for what is none. */
export function sentObject({ input }: ToolCallPart): JsonObject {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as JsonObject) : {}; // JSON
}

function ownState(opaque: Json | undefined, provider: string | undefined): { readonly state?: State } | undefined {
  const state = asRecord(opaque);
  if (provider === undefined || state?.["provider"] !== provider) return undefined;
  const metadata = asRecord(state["metadata"]);
  // Written by an answer's reader, so it has this shape.
  return metadata === undefined ? {} : { state: metadata as State };
}

function isEncrypted(state: State | undefined): boolean {
  return Object.values(state ?? {}).some((fields) => typeof fields["reasoningEncryptedContent"] === "string");
}

/** OpenAI accepts 64 characters in Responses and 40 in Chat Completions; Anthropic `[a-zA-Z0-9_-]+`. */
const MAX_ID_CHARS = 40;

/** An id in the form a wire accepts; the same input gives the same output in every request. */
export function wireCallId(callId: string, style: "plain" | "nine"): string {
  if (style === "nine") return nine(callId);
  return callId.length <= MAX_ID_CHARS && /^[a-zA-Z0-9_-]+$/.test(callId) ? callId : `call-${fingerprint(callId)}`;
}

/** Mistral: "must be a-z, A-Z, 0-9, with a length of 9". */
function nine(callId: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(callId)) return callId;
  return BigInt(`0x${fingerprint(callId)}`)
    .toString(36)
    .padStart(9, "0")
    .slice(-9);
}

/** A tool name every wire takes back, also when the model made up another kind. */
function wireToolName(name: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return name;
  const clean = name.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64);
  return clean === "" ? "unknown_tool" : clean;
}
