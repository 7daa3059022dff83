/** The last calls of each webhook, for its page; the audit log keeps the refusals for good. */
export interface Delivery {
  readonly at: number;
  /** The sender's id for it, or the hash of its body; absent when nothing of it can be believed. */
  readonly id?: string;
  readonly status: "accepted" | "duplicate" | "ignored" | "refused";
  readonly reason?: string;
  readonly session?: string;
  readonly bytes: number;
}

export interface Deliveries {
  add(hook: string, delivery: Delivery): void;
  /** Newest first. */
  of(hook: string): readonly Delivery[];
}

const KEPT = 200;

/** Only of hooks that are configured: names of strangers would fill the memory. */
export function createDeliveries(): Deliveries {
  const byHook = new Map<string, Delivery[]>();
  return {
    add: (hook, delivery) => {
      const list = byHook.get(hook) ?? [];
      byHook.set(hook, list);
      list.unshift(delivery);
      if (list.length > KEPT) list.length = KEPT;
    },
    of: (hook) => byHook.get(hook) ?? [],
  };
}
