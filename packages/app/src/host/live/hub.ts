/** Everything that happens in all sessions, one commit at a time, to whoever follows it. Holds no session. */
import type { Commit, Session } from "@margay/core";
import type { Seq, SessionId } from "@margay/core/internal";
import type { SessionFeed } from "./session-feed.ts";
import { followCommits, type Follower } from "./session-commits.ts";
import { createOverlay, type Overlay, type Partial } from "./overlay.ts";

export interface Hub {
  /** @returns the function that ends it. */
  follow(id: SessionId, follower: Follower): () => void;
  /**
   * Commits of every session.
   * @param opened Told of each that is in use from now on: its first line was written before anybody could follow it.
   */
  followAll(listener: (id: SessionId, commit: Commit) => void, opened?: (id: SessionId) => void): () => void;
  /** The last commit that was shown; undefined for a session that was not in use yet: its journal is all there is. */
  shown(id: SessionId): Seq | undefined;
  partial(id: SessionId): Partial | undefined;
}

interface InUse {
  readonly session: WeakRef<Session>;
  readonly overlay: Overlay;
  shown: Seq;
}

/** What is forgotten is looked for when the list has doubled. */
const MIN_SWEEP = 512;

export function createHub(feed: SessionFeed): Hub & Disposable {
  const inUse = new Map<SessionId, InUse>();
  const followers = new Map<SessionId, Set<Follower>>();
  const listeners = new Set<(id: SessionId, commit: Commit) => void>();
  const openers = new Set<(id: SessionId) => void>();
  let sweepAt = MIN_SWEEP;

  const watch = (session: Session): void => {
    const { id } = session.state;
    if (inUse.size >= sweepAt) {
      for (const [other, item] of inUse) if (item.session.deref() === undefined) inUse.delete(other);
      sweepAt = Math.max(MIN_SWEEP, 2 * inUse.size);
    }
    const item: InUse = { session: new WeakRef(session), overlay: createOverlay(), shown: session.state.seq };
    inUse.set(id, item);
    followCommits(session, {
      commit: (commit) => {
        item.shown = commit.seq;
        for (const record of commit.records) item.overlay.settle(record);
        for (const listener of listeners) listener(id, commit);
        for (const follower of followers.get(id) ?? []) follower.commit(commit);
      },
      live: (event) => {
        item.overlay.live(event);
        for (const follower of followers.get(id) ?? []) follower.live?.(event);
      },
    });
    for (const opened of openers) opened(id);
  };
  const end = feed.watch(watch);

  return {
    follow: (id, follower) => {
      const all = followers.get(id) ?? new Set();
      followers.set(id, all);
      all.add(follower);
      return () => {
        all.delete(follower);
        if (all.size === 0 && followers.get(id) === all) followers.delete(id);
      };
    },
    followAll: (listener, opened) => {
      listeners.add(listener);
      if (opened !== undefined) openers.add(opened);
      return () => {
        listeners.delete(listener);
        if (opened !== undefined) openers.delete(opened);
      };
    },
    shown: (id) => inUse.get(id)?.shown,
    partial: (id) => inUse.get(id)?.overlay.partial,
    [Symbol.dispose]: end,
  };
}
