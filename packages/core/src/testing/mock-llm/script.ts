// What the mock model answers: plain values, so that a test reads like the conversation it plays.

import type { RecordedRequest } from "./request.ts";
import type { TokenUsage } from "./wire.ts";

/** Holds the stream until released, or until the server closes. */
export interface Gate {
  readonly opened: Promise<void>;
  release(): void;
}
/** A piece of text, a pause, or the end of the connection in mid-stream. */
export type Piece = string | Gate | Cut;
export interface Cut {
  readonly cut: true;
}

export type AnswerPart =
  | { readonly type: "text"; readonly pieces: readonly Piece[] }
  | { readonly type: "thinking"; readonly text: string; readonly signature?: string }
  | { readonly type: "call"; readonly id?: string; readonly name: string; readonly arguments: string }
  | { readonly type: "pause"; readonly piece: Piece };

export interface Answer {
  readonly kind: "answer";
  readonly parts: readonly AnswerPart[];
  readonly finish: "stop" | "length" | "refusal";
  /** `null`: the provider reports no usage. Absent: counted from the bytes. */
  readonly usage?: TokenUsage | null;
  /** Before the first byte. */
  readonly delayMs?: number;
  /** Between writes. */
  readonly chunkDelayMs?: number;
  /** Deltas in one write to the socket; 1 by default. */
  readonly batch?: number;
}
export interface Failure {
  readonly kind: "failure";
  readonly status: number;
  /** A string is sent as it is; an object as JSON; absent: the provider's own error format. */
  readonly body?: unknown;
  readonly headers: Readonly<Record<string, string>>;
}
export interface RawReply {
  readonly kind: "raw";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly (string | Uint8Array)[];
  /** `close`: a proper end. `cut`: the connection breaks. `hang`: nothing more until the server closes. */
  readonly end: "close" | "cut" | "hang";
}
export type Reply = Answer | Failure | RawReply;
export type Script = Reply | ((request: RecordedRequest) => Reply);

export interface SayOptions {
  /** How many deltas, or the deltas themselves. Default 1. */
  readonly chunks?: number | readonly string[];
  readonly usage?: TokenUsage | null;
  readonly delayMs?: number;
  readonly chunkDelayMs?: number;
  readonly batch?: number;
}
export interface CallOptions {
  readonly id?: string;
  /** Said before the call. */
  readonly text?: string;
  readonly usage?: TokenUsage | null;
  readonly delayMs?: number;
}
export interface ToolCallScript {
  readonly name: string;
  /** A string is the exact argument text, which need not be JSON. */
  readonly args?: unknown;
  readonly id?: string;
}

/** A text answer. */
export function says(text: string, options: SayOptions = {}): Answer {
  const { chunks = 1, ...rest } = options;
  const pieces = typeof chunks === "number" ? split(text, chunks) : chunks;
  return { kind: "answer", parts: pieces.length === 0 ? [] : [{ type: "text", pieces }], finish: "stop", ...rest };
}

/** Reasoning before an answer. `signature`: provider state that has to come back unchanged. */
export function thinks(thinking: string, reply: Answer, options: { readonly signature?: string } = {}): Answer {
  return { ...reply, parts: [{ type: "thinking", text: thinking, ...options }, ...reply.parts] };
}

/** One tool call. */
export function callsTool(name: string, args: unknown = {}, options: CallOptions = {}): Answer {
  const { id, ...rest } = options;
  return callsTools([{ name, args, ...(id !== undefined && { id }) }], rest);
}

/** Several tool calls in one response. */
export function callsTools(calls: readonly ToolCallScript[], options: Omit<CallOptions, "id"> = {}): Answer {
  const { text, ...rest } = options;
  const parts: AnswerPart[] = text === undefined ? [] : [{ type: "text", pieces: [text] }];
  for (const call of calls)
    parts.push({
      type: "call",
      ...(call.id !== undefined && { id: call.id }),
      name: call.name,
      arguments: typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {}),
    });
  return { kind: "answer", parts, finish: "stop", ...rest };
}

/** An HTTP error. */
export function fails(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}): Failure {
  return { kind: "failure", status, ...(body !== undefined && { body }), headers };
}

/** A finished response without content. */
export function emptyAnswer(): Answer {
  return { kind: "answer", parts: [], finish: "stop" };
}

/** Text, then the connection breaks: no finish, no end of the body. */
export function cutsAfter(text: string): Answer {
  return {
    kind: "answer",
    parts: [{ type: "text", pieces: text === "" ? [{ cut: true }] : [text, { cut: true }] }],
    finish: "stop",
  };
}

/**
 * Holds the connection open: after the headers, or after the text `after`. `release()` lets the rest through:
 * the answer `rest`, or a plain end.
 */
export function stalls(options: { readonly after?: string; readonly rest?: Answer } = {}): Answer & Gate {
  const gate = createGate();
  const rest = options.rest ?? emptyAnswer();
  const [first, ...others] = rest.parts;
  // One text part before and after the pause, so that every wire shows one block that goes on.
  const parts: AnswerPart[] =
    options.after === undefined
      ? [{ type: "pause", piece: gate }, ...rest.parts]
      : first?.type === "text"
        ? [{ type: "text", pieces: [options.after, gate, ...first.pieces] }, ...others]
        : [{ type: "text", pieces: [options.after, gate] }, ...rest.parts];
  return { ...rest, parts, opened: gate.opened, release: gate.release };
}

/** The provider's safety stop. */
export function refuses(text: string): Answer {
  return { ...says(text), ...(text === "" && { parts: [] }), finish: "refusal" };
}

/** The output limit was reached after `text`. */
export function lengthStop(text: string): Answer {
  return { ...says(text), ...(text === "" && { parts: [] }), finish: "length" };
}

/** Bytes as they are: recorded streams, broken bodies, other content types. */
export function raw(reply: {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks: readonly (string | Uint8Array)[];
  readonly end?: RawReply["end"];
}): RawReply {
  return {
    kind: "raw",
    status: reply.status ?? 200,
    headers: reply.headers ?? { "content-type": "text/event-stream; charset=utf-8" },
    chunks: reply.chunks,
    end: reply.end ?? "close",
  };
}

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, release: resolve };
}

function split(text: string, count: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / count));
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces.length === 0 ? [""] : pieces;
}
