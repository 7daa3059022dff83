import type { Millis } from "./base.ts";

/**
 * `result`: a heartbeat or a greeting that no chat got. `undeliverable`: nothing was asked of a model, for nobody could
 * get the answer. `paused`: a job that failed again and again. `question`: one waits, and stands on the pages alone.
 * `suspended`: a plugin is used no more until somebody has looked at it.
 */
export type NotificationKind = "result" | "undeliverable" | "paused" | "question" | "suspended";

/** That something happened, never what: the text is in the conversation. */
export interface Notification {
  /** Of the latest event in it. */
  readonly id: string;
  readonly at: Millis;
  readonly kind: NotificationKind;
  /** The key of the conversation it is about; it may not exist yet. */
  readonly session: string;
  /** Events of this kind there since the last one that was seen. */
  readonly count: number;
  readonly seen: boolean;
}

export interface Notifications {
  /** Once per id, also after a crash. Resolves when it is on disk. */
  add(event: Pick<Notification, "id" | "kind" | "session">): Promise<void>;
  /** The newest first. */
  list(): readonly Notification[];
  /** Those of these ids that are there; what came after them stays unseen. */
  see(ids: readonly string[]): Promise<void>;
  /** Told after each change. @returns the function that ends it. */
  watch(changed: () => void): () => void;
}
