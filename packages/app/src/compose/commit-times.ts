/** How long commits of sessions take, for whoever measures; nothing is measured while nobody does. */
import type { CommitTimer, Millis } from "@margay/core/internal";

export interface CommitTimes extends CommitTimer {
  /** Told of each commit, in the order in which they became durable. @returns the function that ends it. */
  watch(took: (ms: Millis) => void): () => void;
}

export function createCommitTimes(): CommitTimes {
  const watchers = new Set<(ms: Millis) => void>();
  const tell = (ms: Millis): void => {
    for (const watcher of watchers) watcher(ms);
  };
  return {
    get took() {
      return watchers.size === 0 ? undefined : tell;
    },
    watch: (took) => {
      watchers.add(took);
      return () => void watchers.delete(took);
    },
  };
}
