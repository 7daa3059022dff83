import type { CallId, JsonObject, Millis } from "./base.ts";
import type { AssistantPart, BlobRef, Finish, Message, Usage } from "./message.ts";

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema, draft 2020-12, keys in canonical order. */
  readonly inputSchema: JsonObject;
}
/** All that precedes the first message. Immutable for an epoch; `hash` is SHA-256 of its canonical JSON. */
export interface Prefix {
  readonly hash: string;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** Estimated when it froze: a start need not count it again. */
  readonly tokens?: number;
}
export interface Sampling {
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  readonly thinking: "off" | "low" | "medium" | "high";
  readonly toolChoice: "auto" | "none" | "required" | { readonly name: string };
}
/** What one message asks of the requests of its turn; the settings hold for what is absent. */
export interface TurnSampling {
  /** An answer that reaches it is complete: it is not continued. */
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly thinking?: Sampling["thinking"];
  readonly parallelTools?: boolean;
  /** Of the turn's first request. */
  readonly toolChoice?: "required" | { readonly name: string };
}
/** How a chain of models may spend one request. */
export interface Patience {
  /** How often the caller asks again when it fails: 0 means that the chain goes on to its next model at once. */
  readonly attempts: number;
  /** Empty answers before this request: that many models have had their turn. */
  readonly empty: number;
  /** Until the first words, over all attempts; absent: nobody waits. */
  readonly firstMs?: Millis;
}
export interface ModelRequest {
  /** Unique among all conversations of a key, `[a-z0-9-]`. The adapter names calls `{id}-{n}`, n from 1 in order of appearance. */
  readonly id: string;
  readonly model: string;
  readonly prefix: Prefix;
  readonly messages: readonly Message[];
  readonly sampling: Sampling;
  /** Stable per session: lets a provider route to the machine that holds the cache. */
  readonly cacheKey: string;
  /** Bytes of a media part. @throws RuntimeError `blob.missing`. */
  readonly media: (ref: BlobRef) => Promise<Uint8Array>;
  /** Absent: the caller asks again as often as it likes. Never part of what is sent. */
  readonly patience?: Patience;
}
export type ModelEvent =
  | { readonly type: "text.delta"; readonly index: number; readonly text: string }
  | { readonly type: "thinking.delta"; readonly index: number; readonly text: string }
  | { readonly type: "tool-call.delta"; readonly index: number; readonly callId: CallId; readonly name: string; readonly text: string }
  | { readonly type: "part"; readonly index: number; readonly part: AssistantPart }
  /**
   * `dropped`: calls left out because the response did not finish cleanly or the call had no name.
   * `model`: the `provider/model` that answered, when a fallback did.
   */
  | { readonly type: "done"; readonly finish: Finish; readonly usage: Usage; readonly dropped?: "unfinished" | "nameless" | "too-many"; readonly model?: string };

export interface Provider {
  readonly id: string;
  /** Used when nobody names a model. */
  readonly defaultModel?: string;
  /**
   * One request. Yields deltas, each finished part, then exactly one `done`.
   * Leaving the loop early closes the connection.
   *
   * @throws RuntimeError with a `provider.*` code; `signal.reason` when aborted.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
