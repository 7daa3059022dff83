/** What the gateway derives from journals: folded once per session and again when a journal grew. A cache, never truth. */
import { type Address, type Commit } from "@margay/core";
import {
  type CacheMiss,
  createCacheFold,
  createLineFold,
  createTurnFold,
  firstOf,
  type FoundTurn,
  messageOf,
  type Relayed,
  type SessionId,
  spendingOf,
  type SpentRequest,
  type WrittenLine,
} from "@margay/core/internal";
import type { App } from "../../app.ts";
import { priceOf } from "../../models/choose-model.ts";
import { politely } from "./politely.ts";
import { createCallFold, type FoundCall } from "../facts/calls.ts";

export interface SessionFacts {
  readonly id: SessionId;
  readonly key: string;
  readonly origin: Address;
  readonly parent: { readonly session: SessionId; readonly call: string } | undefined;
  readonly calls: readonly FoundCall[];
  readonly spending: readonly SpentRequest[];
  /** Requests that the provider's cache did not help. */
  readonly misses: readonly CacheMiss[];
  /** Lines of MEMORY.md that came from here. */
  readonly remembered: readonly WrittenLine[];
  /** Of sessions that nobody types in: jobs, heartbeat, greeting, subagents. */
  readonly turns: readonly FoundTurn[];
  /** What schedules sent here, by reply id. */
  readonly relayed: ReadonlyMap<string, Relayed>;
}

export interface JournalFacts {
  /** Every readable session. What is damaged is reported at start and left out here. */
  all(): Promise<readonly SessionFacts[]>;
  of(id: string): Promise<SessionFacts | undefined>;
}

/** For `services.once`. */
export function openJournalFacts(app: App): JournalFacts {
  const known = new Map<SessionId, Promise<SessionFacts | undefined>>();
  // What is shown is in the file already. Every commit is made by this process: it holds the lock.
  app.inside.feed.watch((session) => {
    const { id } = session.state;
    known.delete(id);
    session.subscribe((event) => {
      if ("seq" in event) known.delete(id); // deltas change no journal
    });
  });

  const of = (id: SessionId): Promise<SessionFacts | undefined> => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const facts = read(id, app).catch((error: unknown) => {
      app.log.warn("gateway.unreadable", { session: id, message: messageOf(error) });
      return undefined;
    });
    known.set(id, facts); // a commit while it is read takes it away again
    return facts;
  };

  return {
    of: async (id) =>
      ID.test(id) && (await app.inside.journals.has(id as SessionId)) ? of(id as SessionId) : undefined, // the name of a journal is the id
    all: async () => {
      const ids = new Set(await app.inside.sessionIds());
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
      const found: SessionFacts[] = [];
      for await (const id of politely(ids, app.clock)) {
        const facts = await of(id); // one at a time: a thousand journals at once would fill the memory
        if (facts !== undefined) found.push(facts);
      }
      return found;
    },
  };
}

const ID = /^[a-z0-9-]{1,64}$/;

async function read(id: SessionId, { inside, clock }: App): Promise<SessionFacts | undefined> {
  const calls = createCallFold(id);
  const turns = createTurnFold();
  const cache = createCacheFold((ref) => priceOf(ref, inside.loaded().config));
  const written = createLineFold();
  let opened: { readonly key: string; readonly origin: Address; readonly parent: SessionFacts["parent"] } | undefined;
  async function* watched(commits: AsyncIterable<Commit>): AsyncIterable<Commit> {
    for await (const commit of politely(commits, clock)) {
      const begun = firstOf(commit.records, "session.opened");
      if (begun !== undefined) opened = { key: begun.key, origin: begun.origin, parent: begun.parent };
      calls.apply(commit);
      turns.apply(commit);
      cache.apply(commit);
      written.apply(commit);
      yield commit;
    }
  }
  const spending: SpentRequest[] = [];
  for await (const spent of spendingOf(watched(inside.readCommits(id)))) spending.push(spent);
  if (opened === undefined) return undefined; // nothing was ever committed
  const { misses } = cache;
  return {
    id,
    ...opened,
    calls: calls.found(opened),
    spending,
    misses,
    remembered: written.lines,
    turns: turns.turns,
    relayed: turns.relayed,
  };
}
