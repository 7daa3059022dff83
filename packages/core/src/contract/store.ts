// What a store keeps beside conversations: what requests cost, by who asked for them, and small documents by name.
import type { Millis, SessionId } from "./base.ts";
import type { ModelRef, Usage } from "./message.ts";
import type { PersonId } from "./people.ts";

/** A request that was paid for. */
export interface SpentRequest {
  readonly at: Millis;
  /** The channel of its session. */
  readonly source: string;
  /** Absent where the record does not say it. */
  readonly model?: ModelRef;
  /** `turn`, `compaction`, `memory`, or what a side request was for: `heartbeat`, `greeting`. */
  readonly purpose: string;
  /** No person asked for it. */
  readonly unattended?: true;
  /** The conversation, as `channel:chat`, when a guest read along. */
  readonly guest?: string;
  /** The person beside the owner who read it. */
  readonly person?: PersonId;
  /** As `BoundAgent.agent`. */
  readonly agent?: string;
  readonly usage: Usage;
  /** How many were put together here. Default: 1. */
  readonly requests?: number;
}

/** `opened`: of its first commit. An id is used again when a conversation of the same key begins. */
export interface GoneSession {
  readonly id: SessionId;
  readonly key: string;
  readonly opened: Millis;
  readonly spent: readonly SpentRequest[];
}

/** Small shared documents by name, such as `people.json`: read whole, written whole, each write a revision. */
export interface Docs {
  /** Undefined: there is none of that name. `rev` is what a write must name. */
  read(name: string): Promise<{ readonly body: string; readonly rev: number } | undefined>;
  /** `ifRev` 0: it must not exist. Resolves with the new revision. @throws RuntimeError `doc.conflict`. */
  write(name: string, body: string, ifRev: number): Promise<number>;
  list(prefix: string): Promise<readonly string[]>;
  watch(prefix: string, changed: (name: string) => void): Disposable;
}
