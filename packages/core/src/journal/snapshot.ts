/** What a journal has come to, beside it: who opens it reads this and what was written since. Lost or old, it costs a reading. */
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import type { Seq, SessionId } from "../contract/base.ts";
import type { JournalLine } from "../contract/services.ts";
import type { SessionState } from "../contract/session.ts";
import { FILE_MODE } from "../machine/files/files.ts";
import { encode, readCommits } from "./journal.ts";
import { isIn, type Place } from "./lines.ts";
import { PEOPLE_VERSION, RELEASE } from "./upgrade.ts";

export interface Snapshot {
  readonly place: Place;
  /** Of the journal, there. */
  readonly version: number;
  readonly state: SessionState;
  /** Of what was received. */
  readonly keys: readonly string[];
  /** What observers have made of its commits, by their names. */
  readonly kept: Readonly<Record<string, unknown>>;
}
export interface ReadSnapshot extends Snapshot {
  /** Of its file. */
  readonly size: number;
}

/**
 * Raised with every change of what a commit means: of the fold, of the state's shape, of what an observer keeps. A release reads
 * none of another one either, so that what it mends is mended in every conversation.
 */
const SNAPSHOT_FORMAT = 1;
const VERSION = `${RELEASE}/${SNAPSHOT_FORMAT}`;

/** Its lines have checksums and numbers, as those of a journal; the last one says that none is missing. */
type Line = JournalLine &
  Partial<Snapshot> & {
    readonly format?: string;
    readonly messages?: SessionState["messages"];
    readonly isWhole?: true;
  };

/** Of each, so many in one line: the event loop is held up for no longer than that takes. */
const MESSAGES = 16;
const KEYS = 1000;

function* linesOf({ place, version, state, keys, kept }: Snapshot): Generator<Omit<Line, "seq" | "at">> {
  yield { format: VERSION, place, version };
  yield { state: { ...state, messages: [] }, kept };
  for (const messages of slices(state.messages, MESSAGES)) yield { messages };
  for (const some of slices(keys, KEYS)) yield { keys: some };
  yield { isWhole: true };
}

function* slices<Item>(items: readonly Item[], length: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += length) yield items.slice(at, at + length);
}

/** @returns how large it is; undefined when the journal is another by then. @throws the file system's error. */
export async function writeSnapshot(path: string, snapshot: Snapshot, journal: string): Promise<number | undefined> {
  const temporary = `${path}.tmp`;
  let size = 0;
  {
    await using file = await open(temporary, "w", FILE_MODE);
    let number = 0;
    for (const line of linesOf(snapshot)) {
      const bytes = encode({ seq: (number += 1) as Seq, at: snapshot.state.updatedAt, ...line });
      await file.writeFile(bytes);
      size += bytes.length;
    }
  }
  // Looked at and named in one go: what was removed meanwhile, or begun anew, gets none of what it was.
  const isOfIt = existsSync(temporary) && isIn(journal, snapshot.place);
  if (isOfIt) renameSync(temporary, path);
  else rmSync(temporary, { force: true });
  return isOfIt ? size : undefined;
}

/** @returns undefined for one that is missing, damaged, unfinished, or of another version or session. */
export async function readSnapshot(path: string, id: SessionId): Promise<ReadSnapshot | undefined> {
  let head: Line | undefined;
  let main: Line | undefined;
  const messages: SessionState["messages"][number][] = [];
  const keys: string[] = [];
  let isWhole = false;
  let size = 0;
  try {
    ({ size } = statSync(path));
    for await (const line of readCommits<Line>(path)) {
      head ??= line;
      if (head.format !== VERSION || isWhole) return undefined;
      if (line.state !== undefined) main = line;
      for (const message of line.messages ?? []) messages.push(message);
      for (const key of line.keys ?? []) keys.push(key);
      isWhole = line.isWhole === true;
    }
  } catch {
    return undefined; // it is made again
  }
  const { place, version } = head ?? {};
  const { state, kept } = main ?? {};
  if (!isWhole || place === undefined || version === undefined || state === undefined || kept === undefined)
    return undefined;
  if (state.id !== id || state.seq !== place.seq || version > PEOPLE_VERSION) return undefined;
  return { place, version, state: { ...state, messages }, keys, kept, size };
}
