// What a finished answer leaves: its parts with their owner's state, and how it ended.
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { CallId, Json } from "../contract/base.ts";
import type { AssistantPart, Finish } from "../contract/message.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { readArguments } from "./wire/arguments.ts";

/** A run of text or reasoning. */
export interface Block {
  readonly index: number;
  readonly kind: "text" | "thinking";
  chunks: string[];
  /** Whether the block came as reasoning of the wire and not as an inline tag. */
  readonly native: boolean;
  metadata: SharedV4ProviderMetadata | undefined;
}
export interface Call {
  readonly wireId: string;
  readonly index: number;
  readonly callId: CallId;
  readonly name: string;
  chunks: string[];
  text: string | undefined;
  metadata: SharedV4ProviderMetadata | undefined;
}

/** The part of the stream that says how it ended. */
export type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** @throws RuntimeError `provider.truncated` when the stream never said how it ended. */
export function finishOf(finish: FinishPart | undefined, hasCalls: boolean, provider: string): Finish {
  const reason = finish?.finishReason;
  switch (reason?.unified) {
    case "stop":
      return "stop";
    case "tool-calls":
      return hasCalls ? "tool-calls" : "stop";
    case "length":
      return "length";
    case "content-filter":
      return "refusal";
    case "other":
      // A word we do not know is an end; none at all is a broken stream.
      if (reason?.raw !== undefined) return "stop";
      break;
    case undefined:
    case "error":
    case "interrupted":
      break;
  }
  throw new RuntimeError(
    "provider.truncated",
    `${provider} ended the answer before it was finished. It is asked again when nothing was shown.`,
    { retryable: true },
  );
}

/** @param complete False when something was left out: then no provider state is kept. */
export function partOf(block: Block, provider: string, complete: boolean): AssistantPart | undefined {
  const text = block.chunks.join("");
  if (block.kind === "text") return text === "" ? undefined : { type: "text", text };
  const opaque = block.native ? opaqueOf(provider, complete ? block.metadata : undefined) : undefined;
  if (text === "" && (opaque === undefined || block.metadata === undefined || !complete)) return undefined;
  return { type: "thinking", text, ...(opaque !== undefined && { opaque }) };
}

export function callPart(call: Call, provider: string, complete: boolean): AssistantPart {
  const opaque = complete && call.metadata !== undefined ? opaqueOf(provider, call.metadata) : undefined;
  return {
    type: "tool-call",
    callId: call.callId,
    name: call.name,
    ...readArguments(call.text ?? call.chunks.join("")),
    ...(opaque !== undefined && { opaque }),
  };
}

/** Provider state with its owner's name: nobody else gets it back. */
function opaqueOf(provider: string, metadata: SharedV4ProviderMetadata | undefined): Json {
  // Provider metadata is JSON by the interface; its `undefined` members are left out by the copy.
  return metadata === undefined ? { provider } : { provider, metadata: JSON.parse(JSON.stringify(metadata)) as Json };
}

export function mergeMetadata(
  a: SharedV4ProviderMetadata | undefined,
  b: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (a === undefined || b === undefined) return b ?? a;
  const merged: SharedV4ProviderMetadata = { ...a };
  for (const [key, value] of Object.entries(b)) merged[key] = { ...merged[key], ...value };
  return merged;
}
