/** The seeds' SessionManager: sessions as rows and a pointer, folded from their journals. */
import type { JsonObject } from "../contract/base.ts";
import type { Session } from "../contract/session.ts";
import type { SessionSummary } from "../contract/store.ts";
import { originOf } from "../lib/session-key.ts";
import type { CachedSessions } from "../session/sessions.ts";
import { getHistory, renderTranscripts } from "../transcript/format.ts";
import { isoTime } from "../transcript/rows.ts";

/** As of the moment it was asked for. */
export interface SeedSession {
  readonly key: string;
  /** The rows of finished turns since the last `/new`, as the transcript has them. */
  readonly messages: readonly JsonObject[];
  /** UTC, ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Rows that were consolidated. */
  readonly lastConsolidated: number;
  /** Rows that were not consolidated, the last `maxMessages` of them, from a user row on. */
  getHistory(maxMessages: number): readonly JsonObject[];
}

export interface SessionManager {
  getOrCreate(key: string): Promise<SeedSession>;
  /** Resolves when everything that was said in the session is on disk. */
  save(session: Pick<SeedSession, "key">): Promise<void>;
  /** Drops the session from the cache, and nothing else. */
  invalidate(key: string): void;
  list(): Promise<readonly SessionSummary[]>;
}

export interface SessionManagerOptions {
  readonly sessions: CachedSessions;
  /** Results are cut in rows. */
  readonly toolResultChars?: number;
}

export function createSessionManager({ sessions, toolResultChars = 500 }: SessionManagerOptions): SessionManager {
  return {
    getOrCreate: async (key) => {
      const session = await sessions.open(key, originOf(key));
      await session.commit(); // on the disk, as it is for the caller
      return await snapshot(session, toolResultChars);
    },
    save: async ({ key }) => void (await (await sessions.find(key))?.commit()),
    invalidate: (key) => sessions.invalidate(key),
    list: () => sessions.list(),
  };
}

async function snapshot(session: Session, toolResultChars: number): Promise<SeedSession> {
  const { key, createdAt, updatedAt, consolidated } = session.state;
  const files = await renderTranscripts(session.history(), { toolResultChars });
  const current = files.find((file) => file.time === undefined)?.text ?? "";
  const messages = current
    .split("\n")
    .slice(1, -1)
    .map((line) => JSON.parse(line) as JsonObject); // rendered above
  return {
    key,
    messages,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    lastConsolidated: consolidated,
    getHistory: (maxMessages) => getHistory(messages, consolidated, maxMessages),
  };
}
