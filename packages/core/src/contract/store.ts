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

/** A document as it was read. */
export interface Doc {
  readonly body: string;
  /** What a write must name: of another body it is another one. */
  readonly rev: number;
  /** When it was written last. */
  readonly at: Millis;
}

/**
 * Small shared documents by name, such as `channels/pairing.json`: read whole, written whole, each write a revision. What stands in
 * them is the business of whoever keeps them. `changeDoc` changes one that others change too.
 */
export interface Docs {
  /** As this process knows it, without waiting: a file as it is now, a row as it was last told of. Undefined: there is none of that name. */
  peek(name: string): Doc | undefined;
  /** As it is. */
  read(name: string): Promise<Doc | undefined>;
  /** `ifRev` 0: it must not exist. Resolves with the new revision when it is durable. @throws RuntimeError `doc.conflict`. */
  write(name: string, body: string, ifRev: number): Promise<number>;
  /** @throws RuntimeError `doc.conflict`: also when there is none. */
  remove(name: string, ifRev: number): Promise<void>;
  /** Those that begin so, with no slash behind it, sorted. */
  list(prefix: string): Promise<readonly string[]>;
  /** Told of those that `list` names, whoever changed them, and once too often rather than not: look whether it is news. */
  watch(prefix: string, changed: (name: string) => void): Disposable;
}
