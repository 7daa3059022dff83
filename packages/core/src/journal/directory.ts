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
import type { Appended, Journal, Journals, Left, Place } from "../contract/store.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { endOfTick, FILE_MODE, makeDirectory, replaceFile } from "../machine/files/files.ts";
import { hashBefore, sha256 } from "../machine/system/hash.ts";
import { encodeAll, openFileJournal, orFailed, PIECE_BYTES, readCommits, type EnduringJournal } from "./journal.ts";
import { openJournalCache } from "./journal-cache.ts";
import { readSnapshot, writeSnapshot } from "./snapshot.ts";
import { goneOf, openSpentFile } from "./spent.ts";
import { upgrading } from "./upgrade.ts";

const SUFFIX = ".journal";
/** Opened before a gateway is ready; of more, which of them have something to do is cheaper to be read from all. */
const MAX_LEFT = 200;
const LEFT = "left 1";
/** Longer than most commits: what takes this takes the next steps of a turn. */
const PROOF_BYTES = 65_536;
/** Files looked at, and perhaps read, between two turns of the event loop. */
const FILES = 8;

export function openJournalDirectory(directory: string): Journals {
  makeDirectory(directory);
  const pathOf = (id: SessionId): string => join(directory, `${id}${SUFFIX}`);
  const snapshotOf = (id: SessionId): string => join(directory, `${id}.snapshot.cache`);
  const list = (): readonly SessionId[] =>
    orFailed(directory, () => readdirSync(directory))
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length) as SessionId); // named by open() below
  const has = (id: SessionId): boolean =>
    orFailed(pathOf(id), () => statSync(pathOf(id), { throwIfNoEntry: false }) !== undefined);
  const read: Journals["read"] = (id, after, ended) => readPlaced(pathOf(id), after, ended);
  const removed = openSpentFile(directory);
  /* oxlint-disable require-await -- the contract is asynchronous: another store is a database */
  return upgrading({
    open: async (id, known) => {
      makeDirectory(directory); // somebody may have removed it
      return journalOf(id, openFileJournal(pathOf(id), known?.place));
    },
    snapshot: async (id) => {
      const found = await readSnapshot(snapshotOf(id), id);
      return found !== undefined && hashBefore(pathOf(id), found.place.bytes) === found.place.hash ? found : undefined;
    },
    keep: (id, snapshot) => writeSnapshot(snapshotOf(id), snapshot, pathOf(id)),
    create: async (id, key, commits) =>
      orFailed(pathOf(id), () => {
        makeDirectory(directory);
        // Nothing waits between this look and the writing.
        if (has(id)) throw sessionExists(key);
        replaceFile(pathOf(id), encodeAll(commits));
      }),
    has: async (id) => has(id),
    read,
    isLong: (id) => (statSync(pathOf(id), { throwIfNoEntry: false })?.size ?? 0) > PIECE_BYTES,
    list: async () => list(),
    stamps: async function* () {
      for (const [number, id] of list().entries()) {
        if (number % FILES === FILES - 1) await endOfTick();
        const stamp = stampOrNone(pathOf(id));
        if (stamp !== undefined) yield [id, stamp];
      }
    },
    stampAt: async (id, seq) => {
      try {
        const stats = statSync(pathOf(id));
        return lastSeq(pathOf(id), stats.size) === seq ? stampOf(stats) : undefined;
      } catch {
        return undefined; // it went, or who reads it next says why it cannot be read
      }
    },
    left: openLeft(join(directory, "left.cache")),
    cache: (name, version) => openJournalCache(join(directory, `${name}.cache`), version),
    prove: async () => {
      const path = join(directory, ".proof");
      orFailed(directory, () => {
        makeDirectory(directory);
        replaceFile(path, Buffer.alloc(PROOF_BYTES));
        rmSync(path);
      });
    },
    remove: async (id, spent) => {
      if (!has(id)) return false;
      const kept = await spent();
      if (kept !== undefined) await removed.keep(kept);
      const own = (): readonly string[] => readdirSync(directory).filter((name) => name.startsWith(`${id}.`));
      // A view that is being written gets its name in the midst of it: what was listed is gone, and something else is there.
      for (let names = own(); names.length > 0; names = own())
        for (const name of names) rmSync(join(directory, name), { recursive: true, force: true });
      return true;
    },
    gone: () => goneOf(removed, read),
    // A disk that opens nothing can do this.
    discard: async (id) => rmSync(pathOf(id), { force: true }),
  });
  /* oxlint-enable require-await */
}

const STORED: Appended = { status: "ok" };

/** Of one process: nobody else writes, and nothing is kept beside the lines. */
function journalOf(id: SessionId, file: EnduringJournal): Journal {
  return {
    ...file,
    id,
    append: (expected, commits, _about, written) => {
      const head = file.head();
      if (expected !== head) return Promise.resolve({ status: "behind", head });
      const [first, ...more] = commits;
      if (first !== undefined && more.length === 0) return file.append(head, first, written).then(() => STORED); // nearly always
      const last = commits.at(-1);
      const appended = commits.map((commit) => file.append(file.head(), commit, commit === last ? written : undefined));
      return Promise.all(appended).then(() => STORED);
    },
  };
}

async function* readPlaced(path: string, after?: Seq, ended?: (place: Place) => void): AsyncGenerator<Commit> {
  let end = 0;
  let seq = after ?? (0 as Seq); // before the first
  for await (const commit of readCommits(path, after, (bytes) => (end = bytes))) {
    ({ seq } = commit);
    yield commit;
  }
  ended?.({ seq, bytes: end, hash: hashBefore(path, end) ?? "" });
}

function openLeft(path: string): Left {
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

/** Readable and safe as a file name on every system; the hash keeps `a_b` and `axb`, `A` and `a` apart. */
export function idOf(key: string): SessionId {
  const slug = key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  return `${slug || "session"}-${sha256(key).slice(0, 8)}` as SessionId; // the one place that mints session ids
}

export function sessionExists(key: string): RuntimeError {
  return new RuntimeError("session.exists", `There is a session ${key} already. Choose another key.`);
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
