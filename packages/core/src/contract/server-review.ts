import type { Effect } from "./tool.ts";

/** What an MCP server says of itself and nobody approved yet: none of it is in any request. */
export interface ServerReview {
  /** What a yes is bound to: SHA-256 in hex. */
  readonly hash: string;
  /** Nothing of this server was ever approved; else these are the differences. */
  readonly isFirst: boolean;
  readonly tools: readonly ToolChange[];
  readonly instructions?: TextChange;
}
/** All texts are a stranger's. */
export interface TextChange {
  readonly before?: string;
  readonly after?: string;
}
export interface ToolChange extends TextChange {
  readonly tool: string;
  readonly kind: "added" | "removed" | "changed";
  /** What the server calls it, which decides what runs unasked; only where it differs. */
  readonly effect?: { readonly before?: Effect; readonly after?: Effect };
  /** JSON Schemas; only where they differ. */
  readonly parameters?: TextChange;
}

/** `unapproved`, `changed`: it waits for a person. */
export type ServerStanding = "approved" | "changed" | "unapproved";

export interface ReviewedServer {
  readonly name: string;
  /** As the program calls it: `up`, `failed`, `off` and others. */
  readonly state: string;
  /** Of those that are switched on for the agent. */
  readonly tools: number;
  readonly standing: ServerStanding;
}
export interface ServerReviews {
  readonly list: () => readonly ReviewedServer[];
  /** Connects it when it was not yet. @returns undefined when nothing waits; `"unknown"`: no server; `"silent"`: it did not answer. */
  readonly look: (name: string) => Promise<ServerReview | "unknown" | "silent" | undefined>;
  /** @param hash of what was shown. @returns false when something else waits by now, or nothing. */
  readonly approve: (name: string, hash: string, by: string) => Promise<boolean>;
  /** What was shown stays out, which is a record. @returns as `approve`. */
  readonly refuse: (name: string, hash: string, by: string) => Promise<boolean>;
}
