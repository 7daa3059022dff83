// One vendor format: a request as the text of its body, and the events of an answer.
import type { ModelRequest, Prefix, ToolSpec } from "../../contract/provider.ts";
import type { RuntimeError } from "../../lib/errors/errors.ts";
import type { Quirks, WireKind } from "../quirks.ts";
import type { Answer } from "./answer.ts";
import type { MediaLookup } from "./media.ts";
import type { Segment } from "./rows.ts";

export type WireEvent = Readonly<Record<string, unknown>>;

/** What a body is made of. */
export interface Encoding {
  readonly request: ModelRequest;
  readonly quirks: Required<Quirks>;
  /** The conversation in legal order. */
  readonly segments: readonly Segment[];
  readonly media: MediaLookup;
  /** A tool as JSON, made once. */
  readonly tool: (spec: ToolSpec, make: (spec: ToolSpec) => object) => string;
  /** Texts of a prefix, made once by a wire that makes them of nothing else. */
  readonly ofPrefix: (make: (prefix: Prefix) => readonly [system: string, tools: string]) => readonly [string, string];
}

/** One answer being read. Every method may throw a RuntimeError: the news of an error event. */
export interface WireReader {
  event(event: WireEvent): void;
  /** A whole answer that came as one JSON body instead of a stream. */
  body(body: WireEvent): void;
  /** The `[DONE]` marker. */
  marker(): void;
  /** Says what was held to be joined: at the end of each network chunk. */
  flush(): void;
  /** Says the rest, at the end of the stream. */
  end(): void;
  /** The answer said how it ended: what is missing afterwards does not matter. */
  readonly finished: boolean;
  /** Nothing that could follow matters. */
  readonly closed: boolean;
}

export interface Wire {
  readonly kind: WireKind;
  /** Behind the base URL. */
  path(model: string): string;
  /** @param key Undefined: the server needs none. */
  auth(key: string | undefined): Readonly<Record<string, string>>;
  headers?(request: ModelRequest): Readonly<Record<string, string>>;
  /** The body. Equal segments give equal text, so request n + 1 begins with the bytes of request n. */
  encode(encoding: Encoding): string;
  /** @param failed The failure that an error event or body stands for. */
  decode(answer: Answer, failed: (status: number, body: WireEvent) => RuntimeError): WireReader;
}

/** The members of a JSON object without its braces; those that are undefined are left out. */
export function members(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields).slice(1, -1);
}
