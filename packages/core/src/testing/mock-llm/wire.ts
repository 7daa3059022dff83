// What a wire format has to know so that the server, the rules and the prefix check need no vendor.

import type { Fields } from "./json.ts";

export interface TokenUsage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export type Api = "chat" | "responses" | "anthropic" | "gemini";

/** A message in the words all four formats share. Tool results are always role `tool`. */
export interface WireMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly parts: readonly WirePart[];
}
export type WirePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mediaType: string; readonly data: string }
  | { readonly type: "thinking"; readonly text: string; readonly signature?: string }
  | {
      readonly type: "call";
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
      readonly signature?: string;
    }
  | { readonly type: "result"; readonly callId: string; readonly text: string; readonly name?: string }
  | { readonly type: "other"; readonly json: string };

/** A request body, read. */
export interface WireRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly toolNames: readonly string[];
  readonly messages: readonly WireMessage[];
  /** The session, when the client names it (`prompt_cache_key`, `user`, `metadata.user_id`). */
  readonly cacheKey?: string;
  /** What a provider's prompt cache sees, in its order: tools, system, then each (role, content part). */
  readonly sequence: readonly string[];
  /** Rules of this wire alone that the body breaks. */
  readonly problems: readonly string[];
}

/** A part of an answer with everything decided: ids, text. */
export type FullPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string; readonly signature?: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly arguments: string };

export type WireFinish = "stop" | "tool-calls" | "length" | "refusal";

export interface AnswerContext {
  readonly id: string;
  readonly model: string;
  readonly finish: WireFinish;
  /** Absent: not reported. */
  readonly usage?: Required<TokenUsage>;
  readonly body: Fields;
}

/** A part of a stream: its first bytes, one text delta, its last bytes. */
export interface WireBlock {
  readonly start: string;
  delta(text: string): string;
  readonly stop: string;
}

export interface Wire {
  readonly api: Api;
  /** Thinking is signed: its signature has to come back with the calls it led to. */
  readonly signed: boolean;
  read(body: Fields, path: string): WireRequest;
  /** The whole answer as one JSON body. */
  json(parts: readonly FullPart[], context: AnswerContext): unknown;
  /** First bytes of a stream. */
  open(context: AnswerContext): string;
  /** `text` of thinking and text parts comes through `delta`; calls come whole in `start`. */
  block(part: FullPart, index: number, context: AnswerContext, parts: readonly FullPart[]): WireBlock;
  /** Last bytes of a stream. */
  close(parts: readonly FullPart[], context: AnswerContext): string;
  failure(status: number, message: string): unknown;
}

/** One server-sent event. */
export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** `data:image/png;base64,…` as an image part. */
export function dataUrl(url: string): WirePart {
  const match = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  return match === null
    ? { type: "other", json: JSON.stringify(url) }
    : { type: "image", mediaType: match[1] ?? "", data: match[2] ?? "" };
}
