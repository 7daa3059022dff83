/** The append-only file behind a session: one line is one commit, durable when `append` resolves. */
import { statSync } from "node:fs";
import type { Seq } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import type { JournalLine } from "../contract/services.ts";
import type { Place } from "../contract/store.ts";
import { messageOf, RuntimeError } from "../lib/errors/errors.ts";
import {
  type AppendFile,
  replaceByCopy,
  endOfTick,
  linesIn,
  openAppend,
  openIfExists,
  readIfExists,
  replaceFile,
} from "../machine/files/files.ts";
import { keepHeapSmall } from "../machine/system/heap.ts";
import { checkedLine, hashBefore } from "../machine/system/hash.ts";
import { decode, load } from "./lines.ts";

/** One append-only file that one process writes: of a session, or of another store's own kind of lines. */
export interface FileJournal<Line extends JournalLine = Commit> extends AsyncDisposable {
  /**
   * Durable when it resolves. `expected` is the seq of the last line handed over.
   * @param written called once, before it resolves and in order, when the line survives the death of this process and every later
   * one implies it: it is written but not yet synced. Not called when the append fails.
   * @throws RuntimeError `journal.failed` (disk), `session.fenced` (the file is at another line).
   */
  append(expected: Seq, line: Line, written?: () => void): Promise<void>;
  read(after?: Seq): AsyncIterable<Line>;
  preserve?(name: string): void;
  /** Lines already on disk, read at open. Emptied by the first call. */
  takeOpened(): readonly Line[];
  /** Drops the file handle as soon as nothing is being written; later appends open it only for their own time. */
  release(): void;
}

/** One that can go on after the disk failed. */
export interface EnduringJournal<Line extends JournalLine = Commit> extends FileJournal<Line> {
  /** The opened commits are those behind this one: 0, unless it was opened from a place on that is one of this file. */
  readonly after: Seq;
  /** The last line handed over. */
  head(): Seq;
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
    head: () => journal.last,
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
    read: (from) => readCommits<Line>(path, from),
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

/** What is made of so much is garbage a moment later: V8 would hold it for minutes. */
const LONG_BYTES = 4_194_304;
/** What is read and parsed of a long journal between two turns of the event loop. */
export const PIECE_BYTES = 131_072;

/**
 * All commits behind `after`, in order, those before a damaged line too; a line that is being appended at this moment is not there yet. No more of
 * it than a piece, or a line, is in memory.
 * @param ended Told behind which byte the last of them ends.
 * @throws RuntimeError `journal.damaged`; `journal.failed` when it can't be read now.
 */
export async function* readCommits<Line extends JournalLine = Commit>(
  path: string,
  after = 0,
  ended?: (bytes: number) => void,
): AsyncGenerator<Line> {
  const file = orFailed(path, () => openIfExists(path));
  if (file === undefined) return;
  if (file.size > LONG_BYTES) keepHeapSmall();
  try {
    let number = 0;
    let end = 0;
    const memory = Buffer.allocUnsafe(Math.min(PIECE_BYTES, file.size));
    /** Of a line whose end is not read yet. */
    let begun: Buffer[] = [];
    for (let at = 0; at < file.size;) {
      if (at > 0) await endOfTick();
      const part = orFailed(path, () => file.read(at, memory));
      if (part.length === 0) break; // it was cut meanwhile
      at += part.length;
      const last = part.lastIndexOf(10) + 1;
      if (last === 0) {
        begun.push(Buffer.from(part));
        continue;
      }
      const bytes = begun.length === 0 ? part : Buffer.concat([...begun, part]);
      const whole = bytes.length - part.length + last;
      for (const [from, to] of linesIn(bytes, whole))
        if ((number += 1) > after) yield decode<Line>(bytes.toString("utf8", from, to), path, number);
      begun = last === part.length ? [] : [Buffer.from(part.subarray(last))];
      end += whole;
    }
    ended?.(end);
  } finally {
    file.close();
  }
}
