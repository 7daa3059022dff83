/** Search over memory, history and sessions: FTS5 with our own tokens, in an index that can be thrown away and rebuilt. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "../contract/base.ts";
import type { Recall, Recalled } from "../contract/memory.ts";
import type { Address, Marks, UserMessage } from "../contract/message.ts";
import type { Audience, Readers } from "../contract/people.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { GUEST, guestAt, joinReaders, OWNER, readersTo } from "../lib/audience.ts";
import { readersOf } from "../lib/labels.ts";
import { isSourced, readersInMark } from "../lib/source-mark.ts";
import { createSerial } from "../lib/async/serial.ts";
import { isTemporary } from "../lib/session-key.ts";
import { isOurs, memoryDirectory } from "./directory.ts";
import { FILE, type Index, isDamage, openIndex, type Row } from "./recall-index.ts";
import { indexFile, indexRows, removeSource } from "./recall-sources.ts";
import { beforeOf } from "./recall-search.ts";
import { shownText, textOf } from "../lib/text.ts";
import { allOf, bySomeKind, firstOf, type SomeKinds } from "../lib/by-kind.ts";

export interface RecallOptions {
  readonly workspace: string;
  /** Directory of the index; its loss costs a rebuild. */
  readonly directory: string;
  /** Whether what was said while this one read is found. Default: what the owner reads, alone or with a guest. One index, one answer. */
  readonly reads?: (audience: Audience | undefined) => boolean;
  /** Sessions to index. */
  readonly sessions: () => Promise<
    readonly { readonly key: string; readonly id: SessionId; readonly updatedAt: number }[]
  >;
  readonly commits: (id: SessionId) => AsyncIterable<Commit>;
  /** Told that the index was damaged: it is deleted and made again from what it indexed. */
  readonly damaged?: (reason: string) => void;
}

/**
 * SQLite is synchronous: what changed since the last search is read in before a search, in pieces, one search after another.
 * @see design: FTS5 unicode61 over our tokens finds two-character Chinese words; its own trigrams do not.
 */
export function openRecall(options: RecallOptions): Recall & Disposable {
  let index: Index | undefined;
  const alone = createSerial();
  const search = async (query: string, limit: number): Promise<readonly Recalled[]> => {
    const used = (index ??= openIndex(options.directory));
    await refresh(used, options);
    return used.search(query, limit);
  };
  return {
    search: (query, limit) =>
      alone("", async () => {
        try {
          return await search(query, limit);
        } catch (error) {
          if (!isDamage(error)) throw error;
          options.damaged?.(messageOf(error));
          index?.close();
          index = undefined;
          for (const end of ["", "-wal", "-shm"]) rmSync(join(options.directory, FILE + end), { force: true });
          return search(query, limit);
        }
      }),
    [Symbol.dispose]: () => {
      index?.close();
      index = undefined; // who still searches opens it again
    },
  };
}

async function refresh(index: Index, { workspace, sessions, commits, reads = isOwners }: RecallOptions): Promise<void> {
  const directory = memoryDirectory(workspace);
  const ours = isOurs(directory);
  for (const [name, file] of [
    ["memory", "MEMORY.md"],
    ["history", "HISTORY.md"],
  ] as const)
    await indexFile(index, name, ours ? join(directory, file) : undefined, rowOfLine);
  const list = (await sessions()).filter(({ key }) => !isTemporary(key));
  const keys = new Set(["memory", "history", ...list.flatMap(({ key }) => [key, beforeOf(key)])]);
  const known = index.sources();
  for (const source of known.keys()) if (!keys.has(source)) await removeSource(index, source);
  for (const { key, id, updatedAt } of list) {
    const mark = String(updatedAt);
    if (known.get(key)?.mark === mark) continue;
    let rows: SaidRow[] = [];
    let before: readonly Row[] = [];
    let line = 0;
    let isRead = reads(undefined);
    let origin: Address | undefined;
    /** Of what a guest read: for who reads that chat, and operators. */
    let guests: readonly Readers[] | undefined;
    for await (const commit of commits(id)) {
      origin ??= firstOf(commit.records, "session.opened")?.origin;
      const put = (row: Said): SaidRow => ({
        ...row,
        ...readersOf({ readers: joinReaders(row.readers, guests) }),
        line: ++line,
      });
      for (const { message } of allOf(commit.records, "message.edited")) rows = changed(rows, message, isRead, put);
      for (const { ids } of allOf(commit.records, "messages.withdrawn"))
        rows = rows.filter(({ message }) => message === undefined || !ids.includes(message));
      if (isRead) for (const row of rowsOf(commit)) rows.push(put(row));
      const set = firstOf(commit.records, "audience.set");
      if (set === undefined) continue;
      isRead = reads(set.audience === OWNER ? undefined : set.audience);
      guests = set.audience === GUEST && origin !== undefined ? [readersTo([guestAt(origin)], OWNER)] : undefined;
      before = [...before, ...rows];
      rows = [];
    }
    await indexRows(index, { name: beforeOf(key), mark, age: updatedAt }, before);
    await indexRows(index, { name: key, mark, age: updatedAt }, rows); // last: its mark stands for both
  }
}

/** A person's conversations are theirs. */
function isOwners(audience: Audience | undefined): boolean {
  return audience === undefined || audience === "guest";
}

function rowOfLine(text: string, line: number): Row {
  return { line, text, untrusted: isSourced(text), ...readersOf({ readers: readersInMark(text) }) };
}

/** `message`: the id of what a person said, and who stands in front of it. */
type Said = Omit<Row, "line"> & { readonly message?: string; readonly by?: string };
type SaidRow = Said & Pick<Row, "line">;

/** What its author has changed is found as it is now, with what was written down of its voice notes; what they took back is not. */
function changed(
  rows: readonly SaidRow[],
  { id, parts, integrity }: UserMessage,
  isRead: boolean,
  put: (row: Said) => SaidRow,
): SaidRow[] {
  const at = rows.findIndex(({ message }) => message === id);
  const others = rows.filter(({ message }) => message !== id);
  const text = textOf(parts);
  const was = rows[at];
  const untrusted = was?.untrusted === true || integrity !== undefined;
  if (text.trim() === "") return others;
  // A picture had no words before.
  if (was === undefined) return isRead ? [...others, put({ text, untrusted, message: id })] : others;
  return others.toSpliced(at, 0, { ...was, text: `${was.by ?? ""}${text}`, untrusted });
}

/** What people and the model said; results of tools only when they are ours. */
function rowsOf(commit: Commit): readonly Said[] {
  return commit.records.flatMap((record) => bySomeKind(SAID, record) ?? []);
}

const SAID: SomeKinds<JournalRecord, [], readonly Said[]> = {
  "message.received": ({ message }) =>
    row(message.parts, message, message.from.kind === "agent" || message.integrity !== undefined).map(of(message)),
  "voice.transcribed": ({ message, text }) =>
    row([{ type: "text", text }], {}, true).map((said) => ({ ...said, message })),
  "message.heard": ({ message }) => {
    const by = `${message.from.name ?? ""}: `;
    return row([{ type: "text", text: `${by}${shownText(message.parts)}` }], {}, true).map(of(message, by));
  },
  "model.responded": ({ message }) => row(message.parts, message),
  "message.posted": ({ text, marks = {} }) => row([{ type: "text", text }], marks),
  "history.imported": ({ messages }) =>
    messages.flatMap((message) =>
      message.role === "user" || message.role === "assistant" ? row(message.parts, message) : [],
    ),
};

function of({ id }: UserMessage, by?: string): (row: Said) => Said {
  return (said) => ({ ...said, message: id, ...(by !== undefined && { by }) });
}

function row(
  parts: readonly { readonly type: string; readonly text?: string }[],
  { integrity, readers }: Marks,
  untrusted = integrity !== undefined,
): readonly Omit<Row, "line">[] {
  const text = textOf(parts);
  return text.trim() === "" ? [] : [{ text, untrusted, ...readersOf({ readers }) }];
}
