/** All sessions of a state directory, read from their journals. Needs no lock: a running process is not disturbed. */
import { RuntimeError, type Commit, type ErrorInfo, type SessionState } from "@margay/core";
import {
  emptyState,
  firstOf,
  fold,
  type GoneSession,
  nearest,
  journalsOf,
  type SessionId,
  toErrorInfo,
} from "@margay/core/internal";
import { EXIT, type Cli } from "./command.ts";
import { failureText } from "./failure.ts";
import { safeText } from "./output.ts";

export interface Archived {
  readonly id: SessionId;
  /** The id when the journal is damaged before it says the key. */
  readonly key: string;
  commits(): AsyncIterable<Commit>;
}

/** In the order of their names. A damaged one is among them: reading its commits throws. */
export async function openArchive(cli: Pick<Cli, "places">): Promise<readonly Archived[]> {
  const journals = journalsOf(cli.places.home);
  const sessions: Archived[] = [];
  for (const id of await journals.list()) {
    const commits = (): AsyncIterable<Commit> => journals.read(id);
    const key = await keyOf(commits()).catch((): string => id); // whoever reads the commits gets the error
    if (key !== undefined) sessions.push({ id, key, commits });
  }
  return sessions;
}

/** What conversations that were removed had spent. */
export function goneSpending(cli: Pick<Cli, "places">): Promise<readonly GoneSession[]> {
  return journalsOf(cli.places.home).gone();
}

/** A session whose journal cannot be read to its end. */
export interface Damaged {
  readonly id: SessionId;
  readonly key: string;
  readonly error: unknown;
}

/** What `read` makes of each session. What it throws is the fault of that session alone: the others are read. */
export async function readArchive<T>(
  cli: Pick<Cli, "places" | "language" | "t">,
  read: (session: Archived) => Promise<T>,
): Promise<{ readonly found: readonly T[]; readonly damaged: readonly Damaged[] }> {
  const found: T[] = [];
  const damaged: Damaged[] = [];
  for (const session of await openArchive(cli)) {
    try {
      found.push(await read(session));
    } catch (error) {
      damaged.push({ id: session.id, key: session.key, error });
    }
  }
  return { found, damaged };
}

/**
 * Names each damaged session with its fault and the remedy, on stderr.
 * @returns the exit code.
 */
export function reportDamaged({ terminal, t, language, places, json }: Cli, damaged: readonly Damaged[]): number {
  if (!json)
    for (const { key, error } of damaged)
      terminal.err(`${safeText(key)}: ${failureText(error, { t, language, home: places.home, log: places.log })}`);
  return damaged.length === 0 ? EXIT.done : EXIT.failed;
}

/** The same for programs. */
export function damagedJson({ id, key, error }: Damaged): {
  readonly key: string;
  readonly id: string;
  readonly fault: ErrorInfo;
} {
  return { key, id, fault: toErrorInfo(error) };
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
    return firstOf(commit.records, "session.opened")?.key;
  }
  return undefined;
}
