/** The chat where a person wrote last: where what nobody asked for is least out of place. */
import type { Millis } from "../contract/base.ts";
import type { Address } from "../contract/message.ts";
import type { Commit } from "../contract/record.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { SessionState } from "../contract/session.ts";
import type { SessionStore } from "../contract/store.ts";
import { allOf } from "../lib/by-kind.ts";
import { isTemporary } from "../lib/session-key.ts";

export interface LastActive {
  /** To be given to the sessions: what is written from now on is known without reading. */
  readonly observer: CommitObserver;
  find(): Promise<LastWord | undefined>;
}
export interface LastWord {
  readonly origin: Address;
  /** The key of the conversation. */
  readonly session: string;
}
export interface LastActiveOptions {
  readonly sessions: () => Pick<SessionStore, "list" | "find">;
  /** Whether the word of this sender there counts, as it stands now. */
  readonly counts: (channel: string, sender: string) => boolean;
}

/** The journals are read once, at the first question, the latest first and only as far as they may hold the answer. */
export function createLastActive({ sessions, counts }: LastActiveOptions): LastActive {
  let last: (LastWord & { readonly at: Millis }) | undefined;
  let searched: Promise<void> | undefined;

  /** Where somebody else reads it is not the owner's own chat; and one that goes is nowhere to write to. */
  const isShared = ({ audience, key }: Pick<SessionState, "audience" | "key">): boolean =>
    audience !== undefined || isTemporary(key);

  const see = ({ key }: Pick<SessionState, "key">, { records, at }: Pick<Commit, "records" | "at">): void => {
    for (const { origin, message } of allOf(records, "message.received")) {
      if (message.from.kind !== "person") continue;
      if (at > (last?.at ?? -1) && counts(origin.channel, message.from.id)) last = { at, origin, session: key };
    }
  };
  const search = async (): Promise<void> => {
    for (const { key, updatedAt, fault } of await sessions().list()) {
      if (fault !== undefined) continue;
      if (last !== undefined && updatedAt <= last.at) return; // sorted: none of the rest is newer
      const session = await sessions().find(key);
      if (session === undefined || isShared(session.state)) continue;
      for await (const commit of session.history()) see(session.state, commit);
    }
  };
  return {
    observer: {
      observe: (state, commit) => {
        if (!isShared(state)) see(state, commit);
        else if (last?.session === state.key) {
          last = undefined; // a guest came into it
          searched = undefined;
        }
      },
      flush: () => Promise.resolve(),
      continues: { name: "last-active", keep: () => undefined, resume: () => true }, // the search reads what was not shown
    },
    find: async () => {
      searched ??= search().catch((error: unknown) => {
        searched = undefined;
        throw error;
      });
      await searched;
      return last;
    },
  };
}
