/** The chat on a chat platform where a person wrote last: where what nobody asked for is least out of place (HB5). */
import type { Millis } from "../contract/base.ts";
import type { Address } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { SessionStore } from "../contract/session.ts";

export interface LastActive {
  /** To be given to the sessions: what is written from now on is known without reading. */
  readonly observer: CommitObserver;
  find(): Promise<Address | undefined>;
}
export interface LastActiveOptions {
  readonly sessions: () => Pick<SessionStore, "list" | "find">;
  /** Never the command line, and no part of the runtime. */
  readonly isPlatform: (channel: string) => boolean;
}

interface Seen {
  readonly at: Millis;
  readonly origin: Address;
}

/** The journals are read once, at the first question, the latest first and only as far as they may hold the answer. */
export function createLastActive({ sessions, isPlatform }: LastActiveOptions): LastActive {
  let last: Seen | undefined;
  let searched: Promise<void> | undefined;

  const see = (record: JournalRecord, at: Millis): void => {
    if (record.type !== "message.received" || record.message.from.kind !== "person") return;
    if (isPlatform(record.origin.channel) && at > (last?.at ?? -1)) last = { at, origin: record.origin };
  };
  const search = async (): Promise<void> => {
    for (const { key, updatedAt, fault } of await sessions().list()) {
      if (fault !== undefined) continue;
      if (last !== undefined && updatedAt <= last.at) return; // sorted: none of the rest is newer
      const session = await sessions().find(key);
      if (session === undefined) continue;
      for await (const commit of session.history()) for (const record of commit.records) see(record, commit.at);
    }
  };
  return {
    observer: {
      observe: (_state, commit) => {
        for (const record of commit.records) see(record, commit.at);
      },
      flush: () => Promise.resolve(),
    },
    find: async () => {
      searched ??= search().catch((error: unknown) => {
        searched = undefined;
        throw error;
      });
      await searched;
      return last?.origin;
    },
  };
}
