import type { CallId, Clock, Json, JsonObject, Logger, Millis, SessionId, TurnId } from "./base.ts";
import type { Grant } from "./grant.ts";
import type { Address, ContentPart, Label, Marks } from "./message.ts";

export type SchemaResult<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };
/** Standard Schema with Standard JSON Schema: zod 4.2+, valibot and arktype values fit as they are. */
export interface Schema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): SchemaResult<T> | Promise<SchemaResult<T>>;
    readonly jsonSchema: { input(options: { target: "draft-2020-12" }): Record<string, unknown> };
  };
}

/**
 * What may happen if the process dies between start and finish.
 * - `read`: nothing changed; run again.
 * - `idempotent`: running again with the same `callId` is safe.
 * - `write`: never run again; the model is told it may or may not have taken effect, unless `recover` knows better.
 */
export type Effect = "read" | "idempotent" | "write";

/** What a call reaches: nothing outside of this machine, a service, which learns what it is asked, or commands. Its row of the policy. */
export type Reach = "local" | "remote" | "command";

export interface Tool<Input = never> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema<Input>;
  readonly effect: Effect;
  /** Of a plugin's tool. Absent: one of ours, or of an MCP server. */ readonly reach?: Reach;
  /** Milliseconds. Without it `tools.timeoutSeconds` holds; `0`: the tool keeps its own deadline. */
  readonly timeoutMs?: number;
  /** True when the tool bounds its own output; others are cut at `tools.maxResultChars` and stored. */
  readonly bounded?: boolean;
  /** True when it waits for `context.started` itself before it changes anything, and gets ready meanwhile. */
  readonly waitsForStart?: boolean;
  /** @throws Anything: it becomes an error result for the model. Only `signal.reason` ends the turn. */
  execute(input: Input, context: ToolContext): Promise<ToolResult>;
  /**
   * Asked once after a crash for a `write` call that was started: what really happened, from the tool's own receipt.
   * May wait for work that is still running. `undefined`: nobody knows. `started: false`: it provably never began, so it
   * is judged anew and then run.
   */
  recover?(input: Input, context: ToolContext): Promise<ToolResult | NotStarted | undefined>;
  /**
   * Names another tool that the call is meant for: validated, judged, run and repeated as that one, under the id of
   * this call. For tools that are found rather than sent with every request.
   */
  forward?(input: Input): { readonly name: string; readonly input: unknown };
  /**
   * Why a valid call cannot be done now, whoever allows it: asked before the policy, so that nobody is asked for nothing.
   * @returns the whole text for the model; undefined: nothing is known against it.
   */
  unable?(input: Input): string | undefined;
}
export interface NotStarted {
  readonly started: false;
}
export interface ToolContext {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  /** Where the turn came from. Passed, never set on the tool. */
  readonly origin: Address;
  /** Of the context that the call was proposed in: what it makes is no better. */
  readonly label: Label;
  /** Whether a person can answer an approval in this chat. */
  readonly attended: boolean;
  readonly workspace: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Resolves when it is on disk that the call is started. Absent: it is.
   * @throws RuntimeError when the disk refuses: nothing may be changed then.
   */
  started?(): Promise<void>;
  /** Shown live, never journaled. */
  progress(text: string): void;
  /**
   * Asks a person while the call runs, and waits. One question of a call after another. Absent: there is no way to ask.
   * @throws RuntimeError when the session is lost; nothing else.
   */
  ask?(question: CallQuestionInput, signal: AbortSignal): Promise<CallAnswer>;
}
/** What a running call asks. */
export interface CallQuestionInput {
  /** What a yes covers; `remember` says whether it may be kept for this chat or for all. */
  readonly grant: Grant;
  readonly remember: boolean;
  /** One line, the same thing in each language. */
  readonly prompt: Readonly<Record<"en" | "zh-CN", string>>;
  /** Why it is asked, as one sentence. */
  readonly why: string;
  readonly risks?: readonly string[];
  /** How long the call waits; the question stays open for longer, and a later yes counts for the next call. */
  readonly waitMs: Millis;
}
/** `late`: not in time, or the call ended. `nobody`: nobody can answer here. `by`: who said it. */
export type CallAnswer = { readonly verdict: "allow" | "deny"; readonly by: string } | { readonly verdict: "late" | "nobody" };
export type ToolResult =
  | string
  | (Marks & {
      readonly parts: readonly ContentPart[];
      readonly details?: Json;
      readonly isError?: boolean;
      /** Only with `isError`: overrides the status for a call whose effect is unknown. */
      readonly status?: "interrupted";
    });
export interface ToolRegistry {
  /** Sorted by name, built-in before `mcp_*`: part of the byte-stable prefix. */
  list(): readonly Tool[];
  get(name: string): Tool | undefined;
}

/** A file about to be written. */
export interface Write {
  /** As `FoundFile.real`. */
  readonly real: string;
  /** The whole new content. */
  readonly data: Uint8Array;
  readonly part: "whole" | "part";
  /** With `part`: the whole content that it is made of. */
  readonly before?: Uint8Array;
  /** Directories that were made for it, as `real`. */
  readonly made: readonly string[];
}
export type BeforeWrite = (write: Write, context: ToolContext) => void | Promise<void>;
/** The same. @returns details of the result. */
export type ToldWrite = (write: Write, context: ToolContext) => Promise<JsonObject | undefined>;
