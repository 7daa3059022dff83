/** All sessions of a state directory, read from their journals. Needs no lock: a running process is not disturbed. */
import { join } from "node:path";
import {
  emptyState,
  fold,
  nearest,
  openJournalDirectory,
  RuntimeError,
  type Commit,
  type SessionId,
  type SessionState,
} from "@margay/core";
import type { Cli } from "./command.ts";

export interface Archived {
  readonly id: SessionId;
  readonly key: string;
  commits(): AsyncIterable<Commit>;
}

/** In the order of their names. */
export async function openArchive(cli: Cli): Promise<readonly Archived[]> {
  const journals = openJournalDirectory(join(cli.places.home, "sessions"));
  const sessions: Archived[] = [];
  for (const id of journals.list()) {
    const key = await keyOf(journals.read(id));
    if (key !== undefined) sessions.push({ id, key, commits: () => journals.read(id) });
  }
  return sessions;
}

/** @throws RuntimeError `session.missing` with the nearest key. */
export async function findArchived(cli: Cli, key: string): Promise<Archived> {
  const all = await openArchive(cli);
  const found = all.find((session) => session.key === key);
  if (found !== undefined) return found;
  throw missingSession(
    cli,
    key,
    all.map((session) => session.key),
  );
}

export function missingSession(cli: Cli, key: string, keys: readonly string[]): RuntimeError {
  const near = nearest(key, keys);
  const hint = near === undefined ? "" : cli.t("error.didYouMean", { name: near });
  return new RuntimeError("session.missing", cli.t("error.noSession", { key, hint }));
}

export async function stateOf(session: Archived): Promise<SessionState> {
  let state = emptyState(session.id);
  for await (const commit of session.commits()) state = fold(state, commit);
  return state;
}

async function keyOf(commits: AsyncIterable<Commit>): Promise<string | undefined> {
  for await (const commit of commits) {
    const opened = commit.records.find((record) => record.type === "session.opened");
    return opened?.key;
  }
  return undefined;
}
