/** Where the journals of one state directory live: `{id}.journal`, readable by their owner only. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import { makeDirectory } from "../platform/files.ts";
import { sha256 } from "../platform/hash.ts";
import { openFileJournal, readCommits, type FileJournal } from "./journal.ts";
import { createMemoryJournal } from "./memory-journal.ts";

export interface OpenedJournal extends FileJournal {
  readonly id: SessionId;
}
export interface JournalDirectory {
  open(id: SessionId): OpenedJournal;
  has(id: SessionId): boolean;
  read(id: SessionId): AsyncIterable<Commit>;
  list(): readonly SessionId[];
  /** Removes the journal and everything named after it. */
  remove(id: SessionId): boolean;
  hash(text: string): string;
}

const SUFFIX = ".journal";

export function openJournalDirectory(directory: string): JournalDirectory {
  makeDirectory(directory);
  const pathOf = (id: SessionId): string => join(directory, `${id}${SUFFIX}`);
  return {
    open: (id) => ({ ...openFileJournal(pathOf(id)), id }),
    has: (id) => existsSync(pathOf(id)),
    read: (id) => readCommits(pathOf(id)),
    list: () =>
      readdirSync(directory)
        .filter((name) => name.endsWith(SUFFIX))
        .map((name) => name.slice(0, -SUFFIX.length) as SessionId), // named by open() above
    remove: (id) => {
      if (!existsSync(pathOf(id))) return false;
      for (const name of readdirSync(directory))
        if (name.startsWith(`${id}.`)) rmSync(join(directory, name), { recursive: true });
      return true;
    },
    hash: sha256,
  };
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
        takeOpened: () => lines.map((line) => JSON.parse(line) as Commit),
        release: () => {},
      }; // lines hold what append wrote
    },
    has: (id) => (files.get(id)?.length ?? 0) > 0,
    read: (id) => createMemoryJournal(linesOf(id)).read(),
    list: () => [...files.keys()],
    remove: (id) => files.delete(id),
    hash: sha256,
  };
}
