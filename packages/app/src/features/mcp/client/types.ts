/** What the files of this folder share: a server's configuration, its definitions, and an open connection to it. */
import type { JsonObject } from "@margay/core";
import type { LeftReport } from "@margay/core/internal";

/** `mcpServers.{name}` of the operator's configuration: stdio with `command`, HTTP with `url`. */
export interface ServerConfig {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly enabledTools: readonly string[];
  readonly disabled: boolean;
  /** `false`: the operator wants the program to run with all rights of margay. */
  readonly sandbox?: boolean;
  /** Hosts that the confined program may reach. */
  readonly network?: readonly string[];
  /** Folders that it may write to. */
  readonly writable?: readonly string[];
}

export type ServerState = "off" | "connecting" | "up" | "failed" | "login" | Waiting;

/** Connected, and none of its tools is offered: a person has not approved what it says of itself. */
export type Waiting = "changed" | "unapproved";

/** A tool as its server describes it; everything in it was written by a stranger. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly annotations: { readonly readOnly: boolean; readonly idempotent: boolean };
  /** The whole object, which the protocol library wants back when it is called. */
  readonly raw: JsonObject;
}

/** What a server says of itself; all of it waits for a person. */
export interface Offer {
  readonly definitions: readonly Definition[];
  /** `""`: none. */
  readonly instructions: string;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
}

/** One piece of a result. */
export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "bytes"; readonly mediaType: string; readonly base64: string; readonly uri?: string };

export interface CallResult {
  readonly content: readonly Content[];
  readonly isError: boolean;
  /** What its program left in the workspace meanwhile. */
  readonly left?: LeftReport;
}

/** Undefined: none were given. */
export type PromptArguments = Readonly<Record<string, string>> | undefined;

/** An open connection. Every method throws what the protocol library throws; `classify` says what that means. */
export interface Link {
  readonly offers: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean };
  /** What the server says about itself as a whole; `""`: nothing. */
  readonly instructions: string;
  tools(signal: AbortSignal): Promise<readonly Definition[]>;
  call(tool: Definition, args: JsonObject, options: CallOptions): Promise<CallResult>;
  listResources(options: CallOptions): Promise<string>;
  readResource(uri: string, options: CallOptions): Promise<CallResult>;
  listPrompts(options: CallOptions): Promise<string>;
  getPrompt(name: string, args: PromptArguments, options: CallOptions): Promise<CallResult>;
  close(): Promise<void>;
}

/**
 * What a failure says about the call. `unsent`: the server never saw it. `lost`: the connection broke while it was
 * out. `login`: a person has to sign in. `answered`: the server, or the protocol, said no.
 */
export type Failure = "unsent" | "lost" | "login" | "answered";
