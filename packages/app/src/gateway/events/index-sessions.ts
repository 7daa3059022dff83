/** All sessions as lines of a list: read from the journals once, then kept up to date by what happens. */
import { endOfTick, messageOf, type Clock, type Commit, type Logger, type SessionId } from "@margay/core";
import type { Hub } from "./hub.ts";
import type { Marks } from "./marks.ts";
import { politely } from "./politely.ts";
import { emptySummary, takeCommit, type Summary } from "./summary.ts";

export interface SessionIndex {
  all(): Promise<readonly Summary[]>;
  get(id: SessionId): Promise<Summary | undefined>;
  /** Those read so far. */
  known(): Iterable<Summary>;
  byKey(key: string): Promise<Summary | undefined>;
  /** Told of every change; the summary is the index's own. */
  watch(listener: (change: { readonly changed: Summary } | { readonly removed: SessionId }) => void): () => void;
  /** Its journal is gone. */
  remove(id: SessionId): void;
  /** A mark of it changed. */
  touch(id: SessionId): void;
}

export function createIndex(deps: {
  readonly hub: Hub;
  readonly marks: Marks;
  readonly sessionIds: () => readonly SessionId[];
  readonly readCommits: (id: SessionId) => AsyncIterable<Commit>;
  readonly clock: Clock;
  readonly log: Logger;
}): SessionIndex {
  const { hub, marks, clock, log } = deps;
  const summaries = new Map<SessionId, Summary>();
  const byKey = new Map<string, SessionId>();
  const listeners = new Set<Parameters<SessionIndex["watch"]>[0]>();
  /** Being read from their journals, with the commits that came meanwhile. */
  const reading = new Map<SessionId, { readonly since: Commit[]; readonly done: Promise<void> }>();
  let loading: Promise<void> | undefined;

  const tell = (change: { readonly changed: Summary } | { readonly removed: SessionId }): void => {
    for (const listener of listeners) listener(change);
  };

  hub.followAll((id, commit) => {
    // Whoever writes again in a conversation takes it out of the trash.
    const { trashedAt, ...mark } = marks.of(id);
    if (trashedAt !== undefined && commit.records.some(({ type }) => type === "message.received")) marks.set(id, mark);
    const busy = reading.get(id);
    const known = summaries.get(id);
    if (busy !== undefined) busy.since.push(commit);
    else if (known?.lastSeq === commit.seq - 1) {
      takeCommit(known, commit);
      tell({ changed: known });
    } else void read(id); // new, or made by a fork
  });

  const read = (id: SessionId): Promise<void> => {
    const busy = reading.get(id);
    if (busy !== undefined) return busy.done;
    const since: Commit[] = [];
    const work = async (): Promise<void> => {
      const summary = emptySummary(id);
      try {
        for await (const commit of politely(deps.readCommits(id), clock)) {
          if (commit.seq > (hub.shown(id) ?? Number.POSITIVE_INFINITY)) break;
          takeCommit(summary, commit);
        }
      } catch (error) {
        // One damaged journal hides no other; doctor names it.
        log.warn("session.unreadable", { session: id, message: messageOf(error) });
      }
      for (const commit of since) takeCommit(summary, commit);
      reading.delete(id);
      if (summary.key === "") return;
      summaries.set(id, summary);
      byKey.set(summary.key, id);
      tell({ changed: summary });
    };
    const done = work();
    reading.set(id, { since, done });
    return done;
  };

  const load = async (): Promise<void> => {
    for (const id of deps.sessionIds()) {
      if (!summaries.has(id)) await read(id);
      await endOfTick();
    }
  };

  const ready = (): Promise<void> => (loading ??= load());

  return {
    all: async () => {
      await ready();
      return [...summaries.values()];
    },
    get: async (id) => {
      if (!summaries.has(id) && (hub.shown(id) !== undefined || deps.sessionIds().includes(id))) await read(id);
      return summaries.get(id);
    },
    known: () => summaries.values(),
    byKey: async (key) => {
      await ready();
      const id = byKey.get(key);
      return id === undefined ? undefined : summaries.get(id);
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    remove: (id) => {
      const summary = summaries.get(id);
      summaries.delete(id);
      if (summary !== undefined) byKey.delete(summary.key);
      tell({ removed: id });
    },
    touch: (id) => {
      const summary = summaries.get(id);
      if (summary !== undefined) tell({ changed: summary });
    },
  };
}
