// What a finished answer leaves: its parts with their owner's state, and how it ended.
import type { CallId, Json } from "../../contract/base.ts";
import type { AssistantPart, Finish } from "../../contract/message.ts";
import { RuntimeError } from "../../lib/errors/errors.ts";
import { readArguments } from "./arguments.ts";
import type { State } from "./pieces.ts";

/** `other`: a word that we do not know, after which calls may not run. Undefined: the answer broke off. */
export type Ending = Finish | "other" | undefined;

/** A run of text or reasoning. */
export interface Block {
  readonly index: number;
  kind: "text" | "thinking";
  readonly chunks: string[];
  /** Whether the block came as reasoning of the wire and not as an inline tag. */
  native: boolean;
  state: State | undefined;
}
export interface Call {
  readonly index: number;
  readonly callId: CallId;
  readonly name: string;
  readonly chunks: string[];
  text: string | undefined;
  state: State | undefined;
}
/** @throws RuntimeError `provider.truncated` when the stream never said how it ended. */
export function finishOf(ending: Ending, hasCalls: boolean, provider: string): Finish {
  // A word we do not know is an end; none at all is a broken stream.
  if (ending === "other" || (ending === "tool-calls" && !hasCalls)) return "stop";
  if (ending !== undefined) return ending;
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
  const state = complete ? block.state : undefined;
  if (text === "" && (!block.native || state === undefined)) return undefined;
  return { type: "thinking", text, ...(block.native && { opaque: opaqueOf(provider, state) }) };
}

export function callPart(call: Call, provider: string, complete: boolean): AssistantPart {
  return {
    type: "tool-call",
    callId: call.callId,
    name: call.name,
    ...readArguments(call.text ?? call.chunks.join("")),
    ...(complete && call.state !== undefined && { opaque: opaqueOf(provider, call.state) }),
  };
}

/** Provider state with its owner's name: nobody else gets it back. */
function opaqueOf(provider: string, metadata: State | undefined): Json {
  return metadata === undefined ? { provider } : { provider, metadata };
}

export function mergedState(a: State | undefined, b: State | undefined): State | undefined {
  if (a === undefined || b === undefined) return b ?? a;
  const sum: Record<string, State[string]> = { ...a };
  for (const [key, value] of Object.entries(b)) sum[key] = { ...sum[key], ...value };
  return sum;
}
