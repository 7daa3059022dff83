/** Which sessions are in use: whoever shows what happens in all of them follows each from the moment it is opened. */
import type { Session, SessionStore } from "@margay/core";

export interface SessionFeed {
  /** Told of each session in use, now and later. It must not hold on to it. @returns the function that ends it. */
  watch(seen: (session: Session) => void): () => void;
}

/** What is forgotten is looked for when the list has doubled. */
const MIN_SWEEP = 512;

export function withFeed<Store extends SessionStore>(
  store: Store,
): { readonly sessions: Store; readonly feed: SessionFeed } {
  const known = new WeakSet<Session>();
  const inUse = new Set<WeakRef<Session>>();
  const watchers = new Set<(session: Session) => void>();
  let sweepAt = MIN_SWEEP;
  const tell = (session: Session): Session => {
    if (known.has(session)) return session;
    known.add(session);
    if (inUse.size >= sweepAt) {
      for (const ref of inUse) if (ref.deref() === undefined) inUse.delete(ref);
      sweepAt = Math.max(MIN_SWEEP, 2 * inUse.size);
    }
    inUse.add(new WeakRef(session));
    for (const watcher of watchers) watcher(session);
    return session;
  };
  return {
    sessions: {
      ...store,
      open: async (key, origin, parent) => tell(await store.open(key, origin, parent)),
      find: async (key) => {
        const session = await store.find(key);
        return session === undefined ? undefined : tell(session);
      },
      fork: async (key, newKey, seq) => tell(await store.fork(key, newKey, seq)),
    },
    feed: {
      watch: (seen) => {
        watchers.add(seen);
        for (const ref of inUse) {
          const session = ref.deref();
          if (session !== undefined) seen(session);
        }
        return () => void watchers.delete(seen);
      },
    },
  };
}
