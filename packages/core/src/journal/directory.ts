/** Where the journals of one state directory live: `{id}.journal`, readable by their owner only. */
import {
  appendFileSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Seq, SessionId } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import { endOfTick, FILE_MODE, makeDirectory, replaceFile } from "../machine/files/files.ts";
import { hashBefore, sha256 } from "../machine/system/hash.ts";
import type { Place } from "./lines.ts";
import { encodeAll, openFileJournal, orFailed, PIECE_BYTES, readCommits, type EnduringJournal } from "./journal.ts";
import { openJournalCache, type JournalCache } from "./journal-cache.ts";
import { readSnapshot, writeSnapshot, type Snapshot } from "./snapshot.ts";
import { upgraded, upgrader } from "./upgrade.ts";
import { createMemoryJournal } from "./memory-journal.ts";
import { memorySpentFile, openSpentFile, type SpentFile } from "./spent.ts";

export interface OpenedJournal extends EnduringJournal {
  readonly id: SessionId;
}
export interface JournalDirectory {
  /** @param known Read from there on, when it is a place of this journal: `after` says whether it was. */
  open(id: SessionId, known?: Pick<Snapshot, "place" | "version">): OpenedJournal;
  /** What was kept of it last; undefined when that is of another journal. */
  snapshot(id: SessionId): Promise<Snapshot | undefined>;
  /** @returns how large it is; undefined when it was not kept, for the journal is another by now. @throws the file system's error. */
  keep(id: SessionId, snapshot: Snapshot): Promise<number | undefined>;
  /** A whole journal at once: nobody ever sees a part of it. `id` must be free. @throws the file system's error. */
  create(id: SessionId, commits: readonly Commit[]): void;
  /** @throws RuntimeError `journal.failed` when nobody can say. */
  has(id: SessionId): boolean;
  /** @param ended Told the place behind the last one. */
  read(id: SessionId, ended?: (place: Place) => void): AsyncIterable<Commit>;
  /** It takes more than one turn of the event loop to be read. */
  isLong(id: SessionId): boolean;
  /** @throws RuntimeError `journal.failed`. */
  list(): readonly SessionId[];
  /** All of them, each with what changes with its file; empty for one that cannot be looked at. Nothing is read, and thousands hold nobody up. */
  stamps(): AsyncIterable<readonly [id: SessionId, stamp: string]>;
  /** The stamp when `seq` is the last commit in the file, else undefined, also of a file that cannot be read: for who knows the commits and not the file. */
  stampAt(id: SessionId, seq: number): string | undefined;
  /** `{name}.cache` beside the journals. */
  cache<Value>(name: string, version: string): JournalCache<Value>;
  /** What removed sessions had spent. */
  readonly spent: SpentFile;
  readonly left: LeftFile;
  /** @throws RuntimeError `journal.failed` when the disk takes nothing. */
  prove(): void;
  /** Removes the journal and everything named after it. */
  remove(id: SessionId): boolean;
  /** Of one that did not get its first line: nothing else is named after it, and a disk that opens nothing can do this. */
  discard(id: SessionId): void;
  hash(text: string): string;
}

/** Which conversations may have something left to do, so that a start looks at these before all others. Lost or wrong, those are found later. */
export interface LeftFile {
  /** Their keys; undefined: nobody knows, or they are so many that all may be looked at. */
  read(): readonly string[] | undefined;
  /** Before its first line in this process. It costs nothing the second time. */
  note(key: string): void;
  /** All others have nothing to do. */
  write(keys: Iterable<string>): void;
}

const SUFFIX = ".journal";
/** Opened before a gateway is ready; of more, which of them have something to do is cheaper to be read from all. */
const MAX_LEFT = 200;
const LEFT = "left 1";
/** Longer than most commits: what takes this takes the next steps of a turn. */
const PROOF_BYTES = 65_536;
/** Files looked at, and perhaps read, between two turns of the event loop. */
const FILES = 8;

export function openJournalDirectory(directory: string): JournalDirectory {
  makeDirectory(directory);
  const pathOf = (id: SessionId): string => join(directory, `${id}${SUFFIX}`);
  const snapshotOf = (id: SessionId): string => join(directory, `${id}.snapshot.cache`);
  const list = (): readonly SessionId[] =>
    orFailed(directory, () => readdirSync(directory))
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length) as SessionId); // named by open() below
  const has = (id: SessionId): boolean =>
    orFailed(pathOf(id), () => statSync(pathOf(id), { throwIfNoEntry: false }) !== undefined);
  return {
    open: (id, known) => {
      makeDirectory(directory); // somebody may have removed it
      const journal = openFileJournal(pathOf(id), known?.place);
      return {
        ...journal,
        takeOpened: () => journal.takeOpened().map(upgrader(journal.after > 0 ? known?.version : 0)),
        reopen: async () => (await journal.reopen()).map(upgrader()),
        read: () => upgraded(journal.read()),
        id,
      };
    },
    snapshot: async (id) => {
      const found = await readSnapshot(snapshotOf(id), id);
      return found !== undefined && hashBefore(pathOf(id), found.place.bytes) === found.place.hash ? found : undefined;
    },
    keep: (id, snapshot) => writeSnapshot(snapshotOf(id), snapshot, pathOf(id)),
    create: (id, commits) =>
      orFailed(pathOf(id), () => {
        makeDirectory(directory);
        replaceFile(pathOf(id), encodeAll(commits));
      }),
    has,
    read: (id, ended) => readWhole(pathOf(id), ended),
    isLong: (id) => (statSync(pathOf(id), { throwIfNoEntry: false })?.size ?? 0) > PIECE_BYTES,
    list,
    stamps: async function* () {
      for (const [number, id] of list().entries()) {
        if (number % FILES === FILES - 1) await endOfTick();
        const stamp = stampOrNone(pathOf(id));
        if (stamp !== undefined) yield [id, stamp];
      }
    },
    stampAt: (id, seq) => {
      try {
        const stats = statSync(pathOf(id));
        return lastSeq(pathOf(id), stats.size) === seq ? stampOf(stats) : undefined;
      } catch {
        return undefined; // it went, or who reads it next says why it cannot be read
      }
    },
    spent: openSpentFile(directory),
    left: openLeftFile(join(directory, "left.cache")),
    cache: (name, version) => openJournalCache(join(directory, `${name}.cache`), version),
    prove: () => {
      const path = join(directory, ".proof");
      orFailed(directory, () => {
        makeDirectory(directory);
        replaceFile(path, Buffer.alloc(PROOF_BYTES));
        rmSync(path);
      });
    },
    remove: (id) => {
      if (!has(id)) return false;
      const own = (): readonly string[] => readdirSync(directory).filter((name) => name.startsWith(`${id}.`));
      // A view that is being written gets its name in the midst of it: what was listed is gone, and something else is there.
      for (let names = own(); names.length > 0; names = own())
        for (const name of names) rmSync(join(directory, name), { recursive: true, force: true });
      return true;
    },
    discard: (id) => rmSync(pathOf(id), { force: true }),
    hash: sha256,
  };
}

async function* readWhole(path: string, ended?: (place: Place) => void): AsyncGenerator<Commit> {
  let end = 0;
  let seq = 0 as Seq; // before the first
  for await (const commit of upgraded(readCommits(path, (bytes) => (end = bytes)))) {
    ({ seq } = commit);
    yield commit;
  }
  ended?.({ seq, bytes: end, hash: hashBefore(path, end) ?? "" });
}

function openLeftFile(path: string): LeftFile {
  let known: Set<string> | undefined;
  let isRead = false;
  const keys = (): Set<string> | undefined => {
    if (isRead) return known;
    isRead = true;
    try {
      const [version, ...lines] = readFileSync(path, "utf8").split("\n");
      if (version === LEFT) known = new Set(lines.filter((line) => line !== ""));
    } catch {
      // none yet, or it was removed: all are looked at
    }
    return known;
  };
  return {
    read: () => ((keys()?.size ?? Infinity) <= MAX_LEFT ? [...known!] : undefined),
    note: (key) => {
      if (keys()?.has(key) !== false) return;
      try {
        appendFileSync(path, `${key}\n`, { mode: FILE_MODE });
        known?.add(key);
      } catch {
        // a full disk: the journal will say so
      }
    },
    write: (all) => {
      known = new Set(all);
      isRead = true;
      try {
        writeFileSync(`${path}.tmp`, `${[LEFT, ...known].join("\n")}\n`, { mode: FILE_MODE });
        renameSync(`${path}.tmp`, path);
      } catch {
        rmSync(path, { force: true });
      }
    },
  };
}

function stampOf({ size, mtimeMs }: Stats): string {
  return `${String(size)}-${String(mtimeMs)}`;
}

/** @returns undefined when it is gone, "" when nobody can say: what reads it then hears why. */
function stampOrNone(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? undefined : stampOf(stats);
  } catch {
    return "";
  }
}

const TAIL_BYTES = 65_536;

/** The number of the last commit; undefined when its line is not whole or too long to look at. */
function lastSeq(path: string, size: number): number | undefined {
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  const fd = openSync(path, "r");
  try {
    readSync(fd, tail, 0, tail.length, size - tail.length);
  } finally {
    closeSync(fd);
  }
  const from = tail.length < 2 ? -1 : tail.lastIndexOf(10, tail.length - 2) + 1;
  if (from < 0 || tail.at(-1) !== 10 || (from === 0 && size > tail.length)) return undefined;
  const seq = /^\{"crc":"[0-9a-f]{8}","seq":(\d+),/.exec(tail.toString("utf8", from, from + 64))?.[1];
  return seq === undefined ? undefined : Number(seq);
}

/** Journals that live as long as the process. */
export function memoryJournalDirectory(): JournalDirectory {
  const files = new Map<SessionId, string[]>();
  const linesOf = (id: SessionId): string[] => {
    const lines = files.get(id) ?? [];
    files.set(id, lines);
    return lines;
  };
  return {
    open: (id) => {
      const lines = linesOf(id);
      return {
        ...createMemoryJournal(lines),
        id,
        after: 0 as Seq, // nothing is kept beside
        size: () => 0,
        place: () => undefined,
        takeOpened: () => lines.map((line) => JSON.parse(line) as Commit),
        reopen: () => Promise.resolve(lines.map((line) => JSON.parse(line) as Commit)),
        release: () => {},
      }; // lines hold what append wrote
    },
    create: (id, commits) =>
      void files.set(
        id,
        commits.map((commit) => JSON.stringify(commit)),
      ),
    snapshot: () => Promise.resolve(undefined),
    keep: () => Promise.resolve(undefined),
    isLong: () => false,
    has: (id) => (files.get(id)?.length ?? 0) > 0,
    read: (id) => createMemoryJournal(linesOf(id)).read(),
    list: () => [...files.keys()],
    // oxlint-disable-next-line require-await -- the contract is asynchronous, memory is not
    stamps: async function* () {
      for (const [id, lines] of files) yield [id, String(lines.length)];
    },
    stampAt: () => undefined, // nothing is kept of what dies with the process
    cache: () => ({ load: () => Promise.resolve(new Map()), save: () => Promise.resolve() }),
    spent: memorySpentFile(),
    left: { read: () => undefined, note: () => {}, write: () => {} },
    prove: () => {},
    remove: (id) => files.delete(id),
    discard: (id) => void files.delete(id),
    hash: sha256,
  };
}
