/** Attachments that no conversation names any more: they go with the last one that did, or when they were never sent. */
import type { Commit, SessionStore } from "@margay/core";
import { type Blobs, isTemporary, type Millis, type SessionId } from "@margay/core/internal";

interface Journals {
  list(): Promise<readonly SessionId[]>;
  read(id: SessionId): AsyncIterable<Commit>;
}

interface Parts {
  readonly journals: Journals;
  readonly blobs: Blobs;
  /** What else is kept of a session that goes whole. */
  readonly traces: (id: SessionId) => Promise<void>;
}

export function withBlobs<Store extends SessionStore>(
  store: Store,
  { journals, blobs, traces }: Parts,
): { readonly sessions: Store; readonly removeUnusedBlobs: (before: Millis) => Promise<number> } {
  return {
    sessions: {
      ...store,
      remove: async (key) => {
        if (isTemporary(key)) return removeWhole(key, store, { journals, blobs, traces });
        // A damaged journal is removed too; what only it named goes when unused attachments are looked for.
        const mine = await namedBy(key, store, journals).catch(() => new Set<string>());
        const removed = await store.remove(key);
        if (removed && mine.size > 0) {
          for (const name of await namedByAny(journals)) mine.delete(name);
          for (const name of mine) await blobs.remove(name);
        }
        return removed;
      },
    },
    removeUnusedBlobs: async (before) => {
      const old = (await blobs.list()).filter(({ putAt }) => putAt < before);
      if (old.length === 0) return 0;
      const named = await namedByAny(journals); // one that cannot be read: nothing is removed
      let gone = 0;
      for (const { sha256 } of old) if (!named.has(sha256) && (await blobs.remove(sha256, before))) gone += 1;
      return gone;
    },
  };
}

/** The journal last: as long as it is there, the next start knows that there is something to remove. */
async function removeWhole(key: string, store: SessionStore, { journals, blobs, traces }: Parts): Promise<boolean> {
  const id = (await store.find(key).catch(() => undefined))?.state.id;
  if (id === undefined) return store.remove(key);
  await traces(id);
  const mine = await namesIn(journals.read(id)).catch(() => new Set<string>());
  if (mine.size > 0) for (const name of await namedByAny(journals, id)) mine.delete(name);
  for (const name of mine) await blobs.remove(name);
  return store.remove(key);
}

async function namedBy(key: string, store: SessionStore, journals: Journals): Promise<Set<string>> {
  const session = await store.find(key);
  return session === undefined ? new Set() : namesIn(journals.read(session.state.id));
}

async function namedByAny(journals: Journals, but?: SessionId): Promise<Set<string>> {
  const all = new Set<string>();
  for (const id of (await journals.list()).filter((each) => each !== but))
    for (const name of await namesIn(journals.read(id))) all.add(name);
  return all;
}

/** Wherever in a record a blob is named: parts of messages, results of calls, replies. */
async function namesIn(commits: AsyncIterable<Commit>): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const commit of commits)
    for (const [, name = ""] of JSON.stringify(commit).matchAll(/"sha256":"([0-9a-f]{64})"/g)) names.add(name);
  return names;
}
