/** The index of the search: FTS5 with our own tokens. It can be thrown away and rebuilt. */
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Recalled } from "../contract/memory.ts";
import { checkedReaders } from "../lib/audience.ts";
import { parseJson } from "../lib/parse-json.ts";
import { makeDirectory, makePrivate } from "../machine/files/files.ts";

export const FILE = "recall.sqlite";

/** SQLITE_CORRUPT and SQLITE_NOTADB, with their extended codes. @see sqlite.org/rescode.html */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return false;
  return [11, 26].includes(error.errcode & 0xff);
}

export interface Index {
  /** What was indexed of a source: a file's size and time, or a session's last commit. */
  mark(source: string): string | undefined;
  sources(): readonly string[];
  replace(source: string, mark: string, rows: readonly Row[]): void;
  /** Of a conversation that was deleted. */
  remove(source: string): void;
  search(query: string, limit: number): readonly Recalled[];
  close(): void;
}
export interface Row extends Pick<Recalled, "readers"> {
  readonly line: number;
  readonly text: string;
  readonly untrusted: boolean;
}

/** Of the tables: an older index is made anew. */
const VERSION = 3;

export function openIndex(directory: string): Index {
  makeDirectory(directory);
  // Loaded on first use: a conversation that never searches does not pay for it.
  const sqlite = process.getBuiltinModule("node:sqlite");
  const path = join(directory, FILE);
  makePrivate(path); // SQLite would make it as the umask says; what it makes beside it has the mode of this
  const db: DatabaseSync = new sqlite.DatabaseSync(path);
  makeTables(db);
  const markOf = db.prepare("SELECT mark FROM sources WHERE name = ?");
  const insertRow = db.prepare("INSERT INTO rows (source, line, text, untrusted, readers) VALUES (?, ?, ?, ?, ?)");
  const insertWords = db.prepare("INSERT INTO words (rowid, tokens) VALUES (?, ?)");
  const find: StatementSync = db.prepare(
    `SELECT rows.id AS id, rows.source AS source, rows.line AS line, rows.text AS text, rows.untrusted AS untrusted, rows.readers AS readers, bm25(words) AS rank
     FROM words JOIN rows ON rows.id = words.rowid WHERE words MATCH ? ORDER BY rank LIMIT ${CANDIDATES}`,
  );
  const atomic = (change: () => void): void => {
    db.exec("BEGIN");
    try {
      change();
      db.exec("COMMIT");
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK"); // a full disk has ended it already
      throw error;
    }
  };
  const clear = (source: string): void => {
    db.prepare("DELETE FROM words WHERE rowid IN (SELECT id FROM rows WHERE source = ?)").run(source);
    db.prepare("DELETE FROM rows WHERE source = ?").run(source);
    db.prepare("DELETE FROM sources WHERE name = ?").run(source);
  };
  return {
    mark: (source) => textOf(markOf.get(source)?.["mark"]),
    sources: () =>
      db
        .prepare("SELECT name FROM sources")
        .all()
        .map((row) => textOf(row["name"]) ?? ""),
    remove: (source) => atomic(() => clear(source)),
    replace: (source, mark, rows) =>
      atomic(() => {
        clear(source);
        for (const row of rows) {
          const readers = row.readers === undefined ? null : JSON.stringify(row.readers);
          const { lastInsertRowid } = insertRow.run(source, row.line, row.text, row.untrusted ? 1 : 0, readers);
          insertWords.run(lastInsertRowid, tokens(row.text, true).join(" "));
        }
        db.prepare("INSERT INTO sources (name, mark) VALUES (?, ?)").run(source, mark);
      }),
    search: (query, limit) => {
      const wanted = tokens(query, false);
      if (wanted.length === 0) return [];
      const match = wanted.map((token) => `"${token.replaceAll('"', '""')}"${isCjk(token) ? "" : "*"}`).join(" AND ");
      const found = find.all(match).map((row) => ({
        id: Number(row["id"]),
        rank: Number(row["rank"]),
        source: textOf(row["source"]) ?? "",
        line: Number(row["line"]),
        text: textOf(row["text"]) ?? "",
        untrusted: Number(row["untrusted"]) === 1,
        ...readersIn(textOf(row["readers"])),
      }));
      const newest = Math.max(1, ...found.map((item) => item.id));
      // FTS5's rank is negative, better is smaller; being the newest row is worth as much as one more good match.
      const score = (item: { readonly rank: number; readonly id: number }): number => item.rank - item.id / newest;
      const best = found.toSorted((a, b) => score(a) - score(b)).slice(0, limit);
      return best
        .toSorted((a, b) => place(a.source) - place(b.source) || compare(a.source, b.source) || b.line - a.line)
        .map(({ id: _id, rank: _rank, ...item }) => shown(item));
    },
    close: () => db.close(),
  };
}

/** Facts before the log before conversations. */
function place(source: string): number {
  return source === "memory" ? 0 : source === "history" ? 1 : 2;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** What cannot be read is for nobody. */
function readersIn(text: string | undefined): Pick<Row, "readers"> {
  return text === undefined ? {} : { readers: checkedReaders(parseJson(text)) };
}

/** Rows looked at before ranking by age as well. */
const CANDIDATES = 500;

/** Made when it is used: such classes cost a start half a millisecond. */
const cjk = (): RegExp => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/**
 * Runs of Chinese, Japanese and Korean letters as overlapping pairs, everything else as words in lower case.
 * @param single for what is indexed: single letters too, so that a query of one letter finds them.
 */
export function tokens(text: string, single: boolean): readonly string[] {
  const lower = text.normalize("NFKC").toLowerCase();
  const pairs = (lower.match(cjk()) ?? []).flatMap((run) => {
    const letters = [...run];
    const two = letters.slice(1).map((letter, index) => `${letters[index] ?? ""}${letter}`);
    return single || letters.length === 1 ? [...letters, ...two] : two;
  });
  const words = lower.replaceAll(cjk(), " ").match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...words, ...pairs];
}

function isCjk(token: string): boolean {
  return token.search(cjk()) >= 0;
}

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
    CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, mark TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, source TEXT NOT NULL, line INTEGER NOT NULL, text TEXT NOT NULL, untrusted INTEGER NOT NULL, readers TEXT);
    CREATE INDEX IF NOT EXISTS rows_source ON rows (source);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (tokens, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
  `);
}

const BEFORE = "\nbefore";

/** What was said there while others read it has a source of its own. */
export function beforeOf(key: string): string {
  return `${key}${BEFORE}`;
}

function shown({ source, ...rest }: Omit<Recalled, "earlier">): Recalled {
  return source.endsWith(BEFORE)
    ? { ...rest, source: source.slice(0, -BEFORE.length), earlier: true }
    : { ...rest, source };
}
