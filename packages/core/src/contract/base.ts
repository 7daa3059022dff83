/** Words that every other contract file uses: ids, time, JSON, logging. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

declare const brand: unique symbol;
type Id<Kind extends string> = string & { readonly [brand]: Kind };
/** Derived from the session key: safe as a file name. */
export type SessionId = Id<"session">;
export type TurnId = Id<"turn">;
/** Minted by us, unique in the session, `[a-z0-9-]`: safe to send to any provider after a model change. */
export type CallId = Id<"call">;
/** Position of a commit in one session's journal. Strictly increasing from 1. */
export type Seq = number & { readonly [brand]: "seq" };
/** Unix epoch, milliseconds. */
export type Millis = number;

export interface Clock {
  /** Wall clock. Orders nothing: sequence numbers do. */
  now(): Millis;
  /** Milliseconds of a clock that never jumps; only differences mean something. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with `signal.reason`. Holds the process open, unlike AbortSignal.timeout(). */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `ring` once, after `ms`, unless it is disposed before. Holds the process open as well; costs less than a sleep that is cut short. */
  timer(ms: number, ring: () => void): Disposable;
}

export interface Ids {
  /** A new id `{kind}-{random}`, `[a-z0-9-]`. */
  next(kind: string): string;
}

export interface Logger {
  debug(event: string, data?: JsonObject): void;
  info(event: string, data?: JsonObject): void;
  warn(event: string, data?: JsonObject): void;
  error(event: string, data?: JsonObject): void;
  child(data: JsonObject): Logger;
}

/** Limits of one session alone. */
export interface SessionLimits {
  readonly maxIterations?: number;
  readonly maxToolCalls?: number;
  readonly maxTokens?: number;
}
