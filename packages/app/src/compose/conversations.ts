/** What was said, on disk: journals, transcripts and attachments, and how those who look on follow them. */
import { join } from "node:path";
import { openSessions, type Clock, type Logger } from "@margay/core";
import {
  type Blobs,
  openFileStore,
  type Store,
  transcriptObserver,
  type CachedSessions,
  type CommitObserver,
  type Journals,
  type Millis,
  type SessionId,
} from "@margay/core/internal";
import { createCommitTimes, type CommitTimes } from "./commit-times.ts";
import type { Loaded } from "../config/load.ts";
import { withBlobs } from "./session-blobs.ts";
import { withFeed, type SessionFeed } from "../host/live/session-feed.ts";

export interface ConversationsOptions {
  readonly loaded: Loaded;
  /** Of every commit, beside the transcripts. */
  readonly observers: readonly CommitObserver[];
  /** Removes what else is kept of a session that goes whole. */
  readonly traces: (id: SessionId) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Conversations {
  readonly store: Store;
  readonly journals: Journals;
  readonly blobs: Blobs;
  readonly sessions: CachedSessions;
  readonly feed: SessionFeed;
  readonly commitTimes: CommitTimes;
  /** Attachments that were put before then and that no conversation names. @returns how many are gone. */
  readonly removeUnusedBlobs: (before: Millis) => Promise<number>;
}

export function openConversations({ loaded, observers, traces, clock, log }: ConversationsOptions): Conversations {
  const { config, places } = loaded;
  const store = openFileStore(places.home, { clock, log });
  const { journals, blobs } = store;
  const transcripts = transcriptObserver({
    directory: join(places.home, "sessions"),
    readCommits: journals.read,
    toolResultChars: config.sessions.toolResultChars,
    log,
  });
  const commitTimes = createCommitTimes();
  const stored = openSessions({ journals, clock, observers: [...observers, transcripts], timer: commitTimes });
  const { sessions: withMedia, removeUnusedBlobs } = withBlobs(stored, { journals, blobs, traces });
  return { store, journals, blobs, commitTimes, removeUnusedBlobs, ...withFeed(withMedia) };
}
