/** What is in the journals, for readers: views that stay up to date, and commits after a position. Opens no session. */
import type { Clock, Commit } from "@margay/core";
import type { SessionId } from "@margay/core/internal";
import { createView, type SessionView } from "@margay/core/state";
import { cutCommit, type WireCommit } from "@margay/core/internal/state";
import type { Hub } from "./hub.ts";
import { politely } from "./politely.ts";

export interface Reader {
  /** The view of a session, with everything that was shown of it so far. Belongs to the reader: copy what is kept. */
  view(id: SessionId): Promise<SessionView>;
  /** Commits after a position, oldest first, up to what was shown when it ends; cut for the wire. */
  commits(id: SessionId, after: number): AsyncIterable<WireCommit>;
  /** The same, nothing cut. */
  whole(id: SessionId, after?: number): AsyncIterable<Commit>;
  forget(id: SessionId): void;
}

/** Views in memory: what pages look at. Their items are cut, so that each is a fraction of its journal. */
const MAX_VIEWS = 24;
const MAX_ITEMS = 100_000;

export function createReader(deps: {
  readonly hub: Hub;
  readonly readCommits: (id: SessionId) => AsyncIterable<Commit>;
  readonly clock: Clock;
}): Reader {
  const views = new Map<SessionId, { readonly view: Promise<SessionView>; readonly end: () => void; size: number }>();

  async function* whole(id: SessionId, after = 0): AsyncGenerator<Commit> {
    for await (const commit of politely(deps.readCommits(id), deps.clock)) {
      if (commit.seq <= after) continue;
      if (commit.seq > (deps.hub.shown(id) ?? Number.POSITIVE_INFINITY)) return; // written, and not shown yet
      yield commit;
    }
  }

  const load = async (id: SessionId, view: SessionView, loaded: () => void): Promise<SessionView> => {
    try {
      for await (const commit of whole(id)) view.apply(cutCommit(id, commit));
    } catch (error) {
      forget(id);
      throw error;
    }
    loaded();
    const item = views.get(id);
    if (item !== undefined) item.size = view.items.length;
    trim();
    return view;
  };

  const forget = (id: SessionId): void => {
    views.get(id)?.end();
    views.delete(id);
  };

  const trim = (): void => {
    let items = [...views.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [id, { size }] of views) {
      if (views.size <= MAX_VIEWS && (items <= MAX_ITEMS || views.size === 1)) return;
      items -= size;
      forget(id);
    }
  };

  return {
    view: (id) => {
      const known = views.get(id);
      if (known !== undefined) {
        views.delete(id);
        views.set(id, known); // the least used goes first
        return known.view;
      }
      const view = createView(id);
      const since: Commit[] = [];
      let loaded = false;
      const end = deps.hub.follow(id, {
        commit: (commit) => {
          if (loaded) view.apply(cutCommit(id, commit));
          else since.push(commit);
        },
      });
      /** In one go with the last of the journal: nothing may come between. */
      const onLoaded = (): void => {
        for (const commit of since.splice(0)) view.apply(cutCommit(id, commit));
        loaded = true;
      };
      const item = { view: load(id, view, onLoaded), end, size: 0 };
      views.set(id, item);
      return item.view;
    },
    commits: async function* (id, after) {
      for await (const commit of whole(id, after)) yield cutCommit(id, commit);
    },
    whole,
    forget,
  };
}
