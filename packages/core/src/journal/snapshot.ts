/** What a journal has come to, beside it: who opens it reads this and what was written since. Lost or old, it costs a reading. */
import { statSync } from "node:fs";
import type { SessionId } from "../contract/base.ts";
import type { JournalLine } from "../contract/services.ts";
import type { SessionState } from "../contract/session.ts";
import type { Snapshot } from "../contract/store.ts";
import { replaceInParts } from "../machine/files/files.ts";
import { checkedLine, hashBefore } from "../machine/system/hash.ts";
import { readCommits } from "./journal.ts";
import { JOURNAL_VERSION, RELEASE } from "./upgrade.ts";

/**
 * Raised with every change of what a commit means: of the fold, of the state's shape, of what an observer keeps. A release reads
 * none of another one either, so that what it mends is mended in every conversation.
 */
const SNAPSHOT_FORMAT = 2;
const FORMAT = `${RELEASE}/${SNAPSHOT_FORMAT}`;

/** Checked and numbered as a commit is. `lines`: how many there are, the first one says it. */
type Line = JournalLine &
  Partial<Omit<Snapshot, "state">> & { readonly state?: SessionState } & {
    readonly format?: string;
    readonly lines?: number;
    readonly messages?: SessionState["messages"];
  };

/** Of each, so many in one line: the event loop is held up for no longer than that takes. */
const MESSAGES = 16;
const KEYS = 1000;

function* linesOf({ keys, state, ...rest }: Snapshot): Generator<Buffer> {
  const parts = [
    ...slices(state.messages, MESSAGES).map((messages) => ({ messages })),
    ...slices(keys, KEYS).map((some) => ({ keys: some })),
  ];
  const head = { ...rest, format: FORMAT, lines: parts.length + 1, state: { ...state, messages: [] } };
  for (const [index, line] of [head, ...parts].entries()) yield checkedLine({ seq: index + 1, ...line });
}

function slices<Item>(items: readonly Item[], length: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, at) =>
    items.slice(at * length, (at + 1) * length),
  );
}

/** @returns how large it is; undefined when the journal is another by then: removed, or begun anew. @throws the file system's error. */
export function writeSnapshot(path: string, snapshot: Snapshot, journal: string): Promise<number | undefined> {
  const { bytes, hash } = snapshot.place;
  return replaceInParts(path, linesOf(snapshot), () => hashBefore(journal, bytes) === hash);
}

/** @returns undefined for one that is missing, damaged, unfinished, or of another version or session. */
export async function readSnapshot(path: string, id: SessionId): Promise<Snapshot | undefined> {
  const messages: SessionState["messages"][number][] = [];
  const keys: string[] = [];
  let head: Line | undefined;
  let last = 0;
  try {
    for await (const line of readCommits<Line>(path)) {
      head ??= line;
      if (head.format !== FORMAT) return undefined;
      messages.push(...(line.messages ?? []));
      keys.push(...(line.keys ?? []));
      last = line.seq;
    }
    const { place, version, state, kept, lines } = head as Required<Line>; // of this format
    if (lines !== last || state.id !== id || state.seq !== place.seq || version > JOURNAL_VERSION) return undefined;
    return { place, version, state: { ...state, messages }, keys, kept, size: statSync(path).size };
  } catch {
    return undefined; // it is made again
  }
}
