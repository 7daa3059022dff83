/** The index of the search: FTS5 with our own tokens. It can be thrown away and rebuilt. */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Recalled } from "../contract/memory.ts";
import { makeDirectory, makePrivate } from "../machine/files/files.ts";
import { searchIn, textOf, tokens } from "./recall-search.ts";

export const FILE = "recall.sqlite";

/** SQLITE_CORRUPT and SQLITE_NOTADB, with their extended codes. @see sqlite.org/rescode.html */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return false;
  return [11, 26].includes(error.errcode & 0xff);
}

/** What of a source is in the index. */
export interface Progress {
  /** What it was made of: a file's size and time, or when a session last changed. Empty: not all of it is there yet. */
  readonly mark: string;
  /** When it last changed: what is newer is worth more. */
  readonly age: number;
  /** The rows up to line `lines` are those of its first `size` bytes, or rows, which hash to `hash`. */
  readonly size: number;
  readonly lines: number;
  readonly hash: string;
}

export const NOTHING: Progress = { mark: "", age: 0, size: 0, lines: 0, hash: "" };

/** The lines after `after`, up to `to`, are these rows. */
export interface Stretch {
  readonly after: number;
  /** Infinity: nothing follows. */
  readonly to: number;
  readonly rows: readonly Row[];
}

export interface Index {
  sources(): ReadonlyMap<string, Progress>;
  /**
   * A stretch and how far the source is then, both or neither; only what differs is written.
   * @returns false, with nothing changed, when another process has been at that source.
   */
  put(source: string, was: Progress | undefined, stretch: Stretch, is: Progress): boolean;
  /** Takes out what stands far behind a line, a piece of it. @returns whether that is all: what is left is for `put`. */
  shorten(source: string, was: Progress | undefined, after: number): boolean;
  /** Of a conversation that was deleted, and has no rows any more. */
  remove(source: string): void;
  search(query: string, limit: number): readonly Recalled[];
  close(): void;
}
export interface Row extends Pick<Recalled, "readers"> {
  readonly line: number;
  readonly text: string;
  readonly untrusted: boolean;
}

/** Rows between two turns of the event loop: a few milliseconds of work. */
export const PIECE_ROWS = 64;

/**
 * FTS5 would merge what was written now and then, all that has come together at once. A piece is a few pages, each is merged
 * four times while a hundred thousand rows come in.
 */
const MERGED_PAGES = 32;

/** Of the tables: an older index is made anew. */
const VERSION = 4;

export function openIndex(directory: string): Index {
  makeDirectory(directory);
  // Loaded on first use: a conversation that never searches does not pay for it.
  const sqlite = process.getBuiltinModule("node:sqlite");
  const path = join(directory, FILE);
  makePrivate(path); // SQLite would make it as the umask says; what it makes beside it has the mode of this
  const db: DatabaseSync = new sqlite.DatabaseSync(path);
  makeTables(db);
  const atomic = <Value>(change: () => Value): Value => {
    db.exec("BEGIN IMMEDIATE");
    try {
      const value = change();
      db.exec("COMMIT");
      return value;
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK"); // a full disk has ended it already
      throw error;
    }
  };
  const readSource = db.prepare("SELECT * FROM sources WHERE name = ?");
  const writeSource = db.prepare(
    "INSERT OR REPLACE INTO sources (name, mark, age, size, lines, hash) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const { putRows, drop } = rowsOf(db);
  const merge = db.prepare(`INSERT INTO words (words, rank) VALUES ('merge', ${MERGED_PAGES})`);
  const isAt = (source: string, was: Progress | undefined): boolean => {
    const row = readSource.get(source);
    return isSame(row === undefined ? undefined : progressIn(row), was);
  };
  const far = db.prepare(
    `SELECT id FROM rows WHERE source = ? AND line > ? ORDER BY line LIMIT ${PIECE_ROWS} OFFSET ${PIECE_ROWS}`,
  );
  return {
    sources: () =>
      new Map(
        db
          .prepare("SELECT * FROM sources")
          .all()
          .map((row) => [textOf(row["name"]) ?? "", progressIn(row)]),
      ),
    put: (source, was, stretch, is) =>
      atomic(() => {
        if (!isAt(source, was)) return false;
        putRows(source, stretch);
        merge.run();
        writeSource.run(source, is.mark, is.age, is.size, is.lines, is.hash);
        return true;
      }),
    shorten: (source, was, after) =>
      atomic(() => {
        const ids = isAt(source, was) ? far.all(source, after) : [];
        for (const { id } of ids) drop(Number(id));
        merge.run();
        return ids.length < PIECE_ROWS;
      }),
    remove: (source) => void db.prepare("DELETE FROM sources WHERE name = ?").run(source),
    search: searchIn(db),
    close: () => db.close(),
  };
}

function rowsOf(db: DatabaseSync): {
  readonly putRows: (source: string, stretch: Stretch) => void;
  readonly drop: (id: number) => void;
} {
  const stored = db.prepare("SELECT * FROM rows WHERE source = ? AND line > ? AND line <= ?");
  const insertRow = db.prepare("INSERT INTO rows (source, line, text, untrusted, readers) VALUES (?, ?, ?, ?, ?)");
  const insertWords = db.prepare("INSERT INTO words (rowid, tokens) VALUES (?, ?)");
  const dropRow = db.prepare("DELETE FROM rows WHERE id = ?");
  const dropWords = db.prepare("DELETE FROM words WHERE rowid = ?");
  const drop = (id: number): void => {
    dropWords.run(id);
    dropRow.run(id);
  };
  return {
    drop,
    putRows: (source, { after, to, rows }) => {
      const before = new Map(stored.all(source, after, to).map((row) => [Number(row["line"]), row]));
      const fresh = rows.filter(({ line, text, untrusted, readers }) => {
        const row = before.get(line);
        const isThere =
          row?.["text"] === text && row["untrusted"] === Number(untrusted) && row["readers"] === readersText(readers);
        if (isThere) before.delete(line);
        return !isThere;
      });
      for (const { id } of before.values()) drop(Number(id));
      for (const { line, text, untrusted, readers } of fresh) {
        const { lastInsertRowid } = insertRow.run(source, line, text, Number(untrusted), readersText(readers));
        insertWords.run(lastInsertRowid, tokens(text, true).join(" "));
      }
    },
  };
}

function progressIn(row: Readonly<Record<string, unknown>>): Progress {
  return {
    mark: textOf(row["mark"]) ?? "",
    age: Number(row["age"]),
    size: Number(row["size"]),
    lines: Number(row["lines"]),
    hash: textOf(row["hash"]) ?? "",
  };
}

function isSame(a: Progress | undefined, b: Progress | undefined): boolean {
  return (
    a?.mark === b?.mark && a?.age === b?.age && a?.size === b?.size && a?.lines === b?.lines && a?.hash === b?.hash
  );
}

function readersText(readers: Row["readers"]): string | null {
  return readers === undefined ? null : JSON.stringify(readers);
}

/**
 * The words are kept as they were: FTS5 takes a row out of its sums only when it has them, and with sums that still count it
 * the ranks would not be those of an index made anew.
 */
function makeTables(db: DatabaseSync): void {
  db.exec(`
    PRAGMA busy_timeout = 5000;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
  `);
  const { user_version: version = 0 } = db.prepare("PRAGMA user_version").get() ?? {};
  if (version !== VERSION)
    db.exec("BEGIN; DROP TABLE IF EXISTS sources; DROP TABLE IF EXISTS rows; DROP TABLE IF EXISTS words; COMMIT");
  db.exec(`
    PRAGMA user_version = ${VERSION};
    CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, mark TEXT NOT NULL, age REAL NOT NULL, size INTEGER NOT NULL, lines INTEGER NOT NULL, hash TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, source TEXT NOT NULL, line INTEGER NOT NULL, text TEXT NOT NULL, untrusted INTEGER NOT NULL, readers TEXT);
    CREATE UNIQUE INDEX IF NOT EXISTS rows_line ON rows (source, line);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (tokens, tokenize='unicode61 remove_diacritics 2');
    INSERT INTO words (words, rank) VALUES ('automerge', 0), ('crisismerge', 1000);
  `);
}
