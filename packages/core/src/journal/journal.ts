/** The append-only file behind a session: one line is one commit, durable when `append` resolves. */
import { statSync } from "node:fs";
import type { Seq } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import type { Journal, JournalLine } from "../contract/services.ts";
import { messageOf, RuntimeError } from "../lib/errors/errors.ts";
import {
  type AppendFile,
  replaceByCopy,
  endOfTick,
  linesIn,
  openAppend,
  readIfExists,
  replaceFile,
} from "../machine/files/files.ts";
import { checkedLine, hashBefore } from "../machine/system/hash.ts";
import { decode, load, type Place } from "./lines.ts";

export interface FileJournal<Line extends JournalLine = Commit> extends Journal<Line> {
  /** Commits already on disk, read at open. Emptied by the first call. */
  takeOpened(): readonly Line[];
  /** Drops the file handle as soon as nothing is being written; later appends open it only for their own time. */
  release(): void;
}

/** One that can go on after the disk failed. */
export interface EnduringJournal<Line extends JournalLine = Commit> extends FileJournal<Line> {
  /** The opened commits are those behind this one: 0, unless it was opened from a place on that is one of this file. */
  readonly after: Seq;
  /** How long it is now, in bytes. */
  size(): number;
  /** Behind its last commit; undefined when it failed or is shorter. @throws the file system's error. */
  place(): Place | undefined;
  /**
   * Goes on after a failed append, with what the file holds. It is written anew: what a failed sync left in memory is
   * on disk again, and a disk that takes nothing is noticed here.
   * @returns all commits; none when the file is gone. @throws RuntimeError `journal.failed`, `journal.damaged`.
   */
  reopen(): Promise<readonly Line[]>;
}

/** A journal that is open. */
interface OpenJournal {
  readonly path: string;
  readonly file: AppendFile;
  last: Seq;
  bytes: number;
  /** Appends whose lines are written and not synced yet. */
  waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[];
  syncing: boolean;
  /** The file was looked for since the last sync began. */
  seen: boolean;
  released: boolean;
  settled: Promise<void>;
  failure: RuntimeError | undefined;
  unsynced: RuntimeError | undefined;
  closed: boolean;
}

/**
 * Opens or creates. A torn last line (no newline: its commit never resolved) is cut and kept beside the file.
 * @param known Where it is to be read from, when that is a place of it: what stands in front was read already.
 * @throws RuntimeError `journal.damaged` naming file, line and remedy; `journal.failed` when it can't be read.
 */
export function openFileJournal<Line extends JournalLine = Commit>(path: string, known?: Place): EnduringJournal<Line> {
  const { after, bytes, lines: found } = orFailed(path, () => load<Line>(path, known));
  let opened = found;
  const journal: OpenJournal = {
    path,
    file: openAppend(path),
    last: seqOf(opened, after),
    bytes,
    waiting: [],
    syncing: false,
    seen: false,
    released: false,
    settled: Promise.resolve(),
    failure: undefined,
    unsynced: undefined,
    closed: false,
  };
  return {
    after,
    size: () => journal.bytes,
    place: () => {
      const { last: seq, bytes: size } = journal;
      const hash = journal.failure === undefined ? hashBefore(path, size) : undefined;
      return hash === undefined ? undefined : { seq, bytes: size, hash };
    },
    takeOpened: () => {
      const commits = opened;
      opened = [];
      return commits;
    },
    append: (expected, commit, written) => append(journal, expected, commit, written),
    read: () => readCommits<Line>(path),
    preserve: (name) => replaceByCopy(path, `${path.replace(/\.journal$/, "")}.${name}`),
    release: () => {
      journal.released = true;
      if (!journal.syncing) journal.file.release();
    },
    reopen: () => reopen<Line>(journal),
    [Symbol.asyncDispose]: async () => {
      journal.closed = true;
      await journal.settled;
      // Whoever still holds it must not write beside the next one to open the file.
      journal.failure ??= new RuntimeError("journal.failed", `${path} is closed. Open the session again.`);
      journal.file.release();
    },
  };
}

function seqOf(commits: readonly JournalLine[], after: Seq): Seq {
  return commits.at(-1)?.seq ?? after;
}

function append(
  journal: OpenJournal,
  expected: Seq,
  commit: JournalLine,
  written: (() => void) | undefined,
): Promise<void> {
  const { path, file, last } = journal;
  if (journal.failure !== undefined) return Promise.reject(journal.failure);
  if (expected !== last || commit.seq !== last + 1)
    return Promise.reject(new RuntimeError("session.fenced", `${path} is at commit ${last}, not ${expected}.`));
  try {
    if (last > 0 && !journal.seen && statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new Error("it was removed");
    const line = checkedLine(commit);
    file.write(line);
    journal.bytes += line.length;
    journal.seen = true;
  } catch (error) {
    return Promise.reject(fail(journal, error));
  }
  journal.last = commit.seq;
  written?.();
  return new Promise((resolve, reject) => {
    journal.waiting.push({ resolve, reject });
    if (!journal.syncing) journal.settled = sync(journal);
  });
}

/** After a failed write nobody knows what the file holds: only opening it again tells. */
function fail(journal: OpenJournal, error: unknown): RuntimeError {
  return (journal.failure ??= journalFailed(journal.path, error));
}

/** Lines written in one turn of the event loop, or during a sync, share the next one: a step is several lines. */
async function sync(journal: OpenJournal): Promise<void> {
  journal.syncing = true;
  while (journal.waiting.length > 0) {
    await endOfTick();
    journal.seen = false;
    const batch = journal.waiting;
    journal.waiting = [];
    try {
      if (journal.unsynced !== undefined) throw journal.unsynced; // the system may say yes to the next sync: it has forgotten what it lost
      await journal.file.sync();
      for (const { resolve } of batch) resolve();
    } catch (error) {
      const failure = fail(journal, error);
      journal.unsynced = failure;
      for (const { reject } of batch) reject(failure);
    }
  }
  journal.syncing = false;
  if (journal.released) journal.file.release();
}

async function reopen<Line extends JournalLine>(journal: OpenJournal): Promise<readonly Line[]> {
  const { path, file } = journal;
  await journal.settled;
  if (journal.closed) throw fail(journal, undefined);
  file.release();
  const { lines: commits, after, bytes } = orFailed(path, () => load<Line>(path, undefined));
  const content = readIfExists(path);
  try {
    if (content !== undefined) replaceFile(path, content);
  } catch (error) {
    throw journalFailed(path, error);
  }
  journal.last = seqOf(commits, after);
  journal.bytes = bytes;
  journal.failure = undefined;
  journal.unsynced = undefined;
  return commits;
}

/** The bytes of a whole journal. */
export function encodeAll(commits: readonly JournalLine[]): Buffer {
  return Buffer.concat(commits.map(checkedLine));
}

export function journalFailed(path: string, error: unknown): RuntimeError {
  return new RuntimeError(
    "journal.failed",
    `${path} could not be read or written: ${messageOf(error)}. Free or repair the disk; what was begun goes on then.`,
    { cause: error },
  );
}

/** @throws RuntimeError `journal.failed` for whatever the file system says: a file that cannot be read is not an absent one. */
export function orFailed<Value>(path: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw error instanceof RuntimeError ? error : journalFailed(path, error);
  }
}

/** What is parsed of a long journal between two turns of the event loop. */
const PIECE_BYTES = 131_072;

/**
 * All commits, in order, those before a damaged line too; a line that is being appended at this moment is not there yet.
 * @throws RuntimeError `journal.damaged`; `journal.failed` when it can't be read now.
 */
export async function* readCommits<Line extends JournalLine = Commit>(path: string): AsyncIterable<Line> {
  const bytes = orFailed(path, () => readIfExists(path));
  if (bytes === undefined) return;
  let number = 0;
  let piece = PIECE_BYTES;
  for (const [from, to] of linesIn(bytes, bytes.lastIndexOf(10) + 1)) {
    if (from > piece) {
      await endOfTick();
      piece = from + PIECE_BYTES;
    }
    yield decode<Line>(bytes.toString("utf8", from, to), path, (number += 1));
  }
}
