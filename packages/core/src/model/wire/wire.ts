// What the stream of one API looks like to the guard: read leniently, written back strictly.
import type { RuntimeError } from "../../lib/errors/errors.ts";

export type WireEvent = Readonly<Record<string, unknown>>;

/** One response being read. Every method may throw a RuntimeError: the news of an error event. */
export interface WireReader {
  /** Takes one event; says what follows in strict form through {@link WireOutput}. */
  event(event: WireEvent): void;
  /** A whole answer that came as one JSON body instead of a stream. */
  body(body: WireEvent): void;
  /** The `[DONE]` marker. */
  marker(): void;
  /** Sends what was held to be joined: at the end of each network chunk. */
  flush(): void;
  /** Sends the rest, at the end of the stream. */
  end(): void;
  /** The answer said how it ended: what is missing afterwards does not matter. */
  readonly finished: boolean;
  /** Nothing that could follow matters. */
  readonly closed: boolean;
  /** The wire's own error event that carries a failure in order. */
  failure(text: string): WireEvent;
}

export interface WireOutput {
  /** Writes one strict event. */
  send(event: WireEvent): void;
  /** The failure that an error event or body stands for. */
  failed(status: number, body: WireEvent): RuntimeError;
}

export type Wire = (output: WireOutput) => WireReader;

/** Stands for a call without a name, which the strict readers below would reject with the whole response. */
export const NAMELESS = "margay_call_without_name";
