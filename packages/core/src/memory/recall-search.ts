/** Asking the index: which rows hold all words, the best and newest first. What it finds does not depend on how it came to be. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Recalled } from "../contract/memory.ts";
import { checkedReaders } from "../lib/audience.ts";
import { parseJson } from "../lib/parse-json.ts";

export function searchIn(db: DatabaseSync): (query: string, limit: number) => readonly Recalled[] {
  // Which rows are looked at must not depend on the order in which they were stored.
  const find: StatementSync = db.prepare(
    `SELECT rows.source AS source, rows.line AS line, rows.text AS text, rows.untrusted AS untrusted, rows.readers AS readers, bm25(words) AS rank
     FROM words JOIN rows ON rows.id = words.rowid JOIN sources ON sources.name = rows.source
     WHERE words MATCH ? ORDER BY rank, sources.age DESC, rows.source, rows.line DESC LIMIT ${CANDIDATES}`,
  );
  const oldestFirst = db.prepare("SELECT name, lines FROM sources ORDER BY age, name DESC");
  return (query, limit) => {
    const wanted = tokens(query, false);
    if (wanted.length === 0) return [];
    const match = wanted.map((token) => `"${token.replaceAll('"', '""')}"${isCjk(token) ? "" : "*"}`).join(" AND ");
    const starts = new Map<string, number>();
    let rows = 0;
    for (const source of oldestFirst.iterate()) {
      starts.set(textOf(source["name"]) ?? "", rows);
      rows += Number(source["lines"]);
    }
    const found = find.all(match).map((row) => {
      const source = textOf(row["source"]) ?? "";
      const line = Number(row["line"]);
      return {
        rank: Number(row["rank"]),
        age: (starts.get(source) ?? 0) + line,
        source,
        line,
        text: textOf(row["text"]) ?? "",
        untrusted: Number(row["untrusted"]) === 1,
        ...readersIn(textOf(row["readers"])),
      };
    });
    const newest = Math.max(1, ...found.map(({ age }) => age));
    // FTS5's rank is negative, better is smaller; being the newest row is worth as much as one more good match.
    const score = (item: { readonly rank: number; readonly age: number }): number => item.rank - item.age / newest;
    const best = found.toSorted((a, b) => score(a) - score(b)).slice(0, limit);
    return best
      .toSorted((a, b) => place(a.source) - place(b.source) || compare(a.source, b.source) || b.line - a.line)
      .map(({ age: _age, rank: _rank, ...item }) => shown(item));
  };
}

/** Facts before the log before conversations. */
function place(source: string): number {
  return source === "memory" ? 0 : source === "history" ? 1 : 2;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** What cannot be read is for nobody. */
function readersIn(text: string | undefined): Pick<Recalled, "readers"> {
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
