/**
 * Who wrote the files of a folder that several persons write to: for each content that stood at a path, whose word it is. A line in a
 * file of the state directory is written before the file itself is, and speaks of one content alone: after a crash, or when somebody
 * else writes at the same time, what stands there is whoever's it really is, and nobody's when nothing is known of it.
 */
import fs from "node:fs";
import { join } from "node:path";
import type { PersonId } from "../contract/people.ts";
import { FILE_MODE, makeDirectory, readIfExists, replaceFile } from "../machine/files/files.ts";
import { parseJson } from "../lib/parse-json.ts";

/** Contents of a path whose writers are remembered: an undo gives one of them back. */
const MAX_CONTENTS = 8;
/** Where more than so many lines say nothing any more, the file is written anew. */
const DEAD_LINES = 1_000;

/** `sha256` absent: the name alone. `by` absent: nobody vouches for that content. */
interface Line {
  readonly path: string;
  readonly sha256?: string;
  readonly by?: PersonId;
}

interface Known {
  /** By path: whose a content is, the last one last. */
  readonly contents: Map<string, Map<string, PersonId | undefined>>;
  /** By path of a file or directory: who called it so. */
  readonly names: Map<string, Set<PersonId>>;
  lines: number;
}

export interface FileWriters {
  /**
   * Before a file is written. Durable as far as the process goes: a line that is lost with the machine trusts nobody.
   * @param by whose word all of it is; undefined: nobody's. @throws the file system's error.
   */
  writing(path: string, sha256: string, by: PersonId | undefined): void;
  /** Whether a content at that path is the word of this person, and of nobody else. */
  isBy(path: string, sha256: string, by: PersonId): boolean;
  /** Whether this person chose the name, of a file or of a directory. */
  isNamedBy(path: string, by: PersonId): boolean;
}

/** @param directory of the state; the file is `writers.jsonl` in it. Read at the first question. */
export function openFileWriters(directory: string): FileWriters {
  const file = join(directory, "writers.jsonl");
  let loaded: Known | undefined;
  const known = (): Known => (loaded ??= load(file));
  return {
    writing: (path, sha256, by) => {
      const all = known();
      if (isLast(all.contents.get(path), sha256, by)) return;
      const line: Line = { path, sha256, ...(by !== undefined && { by }) };
      makeDirectory(directory);
      try {
        fs.appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: FILE_MODE });
        apply(all, line);
        compact(file, all);
      } catch (error) {
        loaded = undefined; // a full disk may have cut the line: the file is read again
        throw error;
      }
    },
    isBy: (path, sha256, by) => known().contents.get(path)?.get(sha256) === by,
    isNamedBy: (path, by) => known().names.get(path)?.has(by) === true,
  };
}

function isLast(
  contents: ReadonlyMap<string, PersonId | undefined> | undefined,
  sha256: string,
  by?: PersonId,
): boolean {
  const [last] = [...(contents ?? [])].slice(-1);
  return last !== undefined && last[0] === sha256 && last[1] === by;
}

function load(file: string): Known {
  const known: Known = { contents: new Map(), names: new Map(), lines: 0 };
  const data = readIfExists(file) ?? Buffer.alloc(0);
  // A torn last line goes: the process died before it wrote the file that the line is about.
  const end = data.lastIndexOf("\n") + 1;
  if (end < data.length) fs.truncateSync(file, end);
  for (const text of data.subarray(0, end).toString("utf8").split("\n")) {
    const line = text === "" ? undefined : (parseJson(text) as Line | undefined); // written above
    if (line !== undefined) apply(known, line);
  }
  return known;
}

function apply(known: Known, { path, sha256, by }: Line): void {
  const { contents, names } = known;
  known.lines += 1;
  if (sha256 !== undefined) {
    const of = contents.get(path) ?? new Map<string, PersonId | undefined>();
    of.delete(sha256); // the last in the map is the one written last
    of.set(sha256, by);
    const [oldest] = of;
    if (of.size > MAX_CONTENTS && oldest !== undefined) of.delete(oldest[0]);
    contents.set(path, of);
  }
  if (by === undefined) return;
  for (let at = path.length; at > 0; at = path.lastIndexOf("/", at - 1)) {
    const name = path.slice(0, at);
    names.set(name, (names.get(name) ?? new Set()).add(by));
  }
}

/** Only what still says something; the same is known after it. */
function compact(file: string, known: Known): void {
  if (known.lines <= DEAD_LINES + known.contents.size + known.names.size) return; // at least so many still say something
  const lines = [...linesOf(known)];
  if (known.lines <= 2 * lines.length + DEAD_LINES) return;
  replaceFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  known.lines = lines.length;
}

function* linesOf({ contents, names }: Known): Generator<Line> {
  for (const [path, of] of contents)
    for (const [sha256, by] of of) yield { path, sha256, ...(by !== undefined && { by }) };
  for (const [path, all] of names) for (const by of all) yield { path, by };
}
