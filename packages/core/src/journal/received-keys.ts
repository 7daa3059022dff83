/**
 * Which messages of a platform were accepted, whatever conversation they went to and whether it is still there.
 * An intent stands before the message is stored, and its end after that: of a key without an end the conversation knows.
 */
import { renameSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Logger, Millis, Seq } from "../contract/base.ts";
import type { JournalLine } from "../contract/services.ts";
import { encodeAll, openFileJournal, type FileJournal } from "./journal.ts";
import { hasCode, messageOf } from "../lib/errors/errors.ts";
import { makeDirectory, replaceFile } from "../machine/files/files.ts";

export interface ReceivedKeys {
  /** @returns `taken`, or the conversation that may have it, or undefined: it is new. */
  find(channel: string, key: string): Known | undefined;
  /** Before the message is stored. Resolves when it is on disk. */
  intend(channel: string, key: string, session: string): Promise<void>;
  /** It is stored. */
  taken(channel: string, key: string): void;
}
export type Known = "taken" | { readonly session: string };

interface KeyLine extends JournalLine {
  readonly key: string;
  /** Absent: it is stored. */
  readonly session?: string;
}
interface Entry {
  readonly at: Millis;
  readonly session?: string;
}
interface Shelf {
  /** The oldest first. */
  readonly keys: Map<string, Entry>;
  readonly journal: FileJournal<KeyLine>;
  seq: number;
}

/** Kept: these at least, and all of this time. */
const MIN_KEYS = 100_000;
const MIN_MS = 30 * 86_400_000;

export interface ReceivedKeysOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many are kept at least; default 100,000. */
  readonly least?: number;
}

/** A file for each channel, read when its first message comes. */
export function receivedKeys({ directory, clock, log, least = MIN_KEYS }: ReceivedKeysOptions): ReceivedKeys {
  const shelves = new Map<string, Shelf>();

  const pathOf = (channel: string): string => join(directory, `${encodeURIComponent(channel)}.journal`);

  const read = (channel: string): Shelf => {
    const journal = openFileJournal<KeyLine>(pathOf(channel));
    const keys = new Map<string, Entry>();
    const lines = journal.takeOpened();
    for (const { key, at, session } of lines) keys.set(key, session === undefined ? { at } : { at, session });
    return { keys, journal, seq: lines.length };
  };

  /** Without what is old; written anew when that is most of it. */
  const trimmed = (channel: string): Shelf => {
    const shelf = read(channel);
    const { keys } = shelf;
    const before = clock.now() - MIN_MS;
    for (const [key, { at }] of keys) {
      if (keys.size <= least || at >= before) break;
      keys.delete(key);
    }
    if (shelf.seq <= 2 * keys.size + least) return shelf;
    const lines = [...keys].map(([key, entry], at): KeyLine => ({ seq: (at + 1) as Seq, key, ...entry }));
    replaceFile(pathOf(channel), encodeAll(lines));
    return read(channel);
  };

  const opened = (channel: string): Shelf => {
    makeDirectory(directory);
    try {
      return trimmed(channel);
    } catch (error) {
      if (!hasCode(error, "journal.damaged")) throw error;
      // Each conversation knows its own keys: better that than a channel that takes nothing any more.
      renameSync(pathOf(channel), `${pathOf(channel)}.damaged-${clock.now()}`);
      log.error("keys.damaged", { channel, message: messageOf(error) });
      return read(channel);
    }
  };

  const shelfOf = (channel: string): Shelf => {
    const known = shelves.get(channel);
    if (known !== undefined) return known;
    const shelf = opened(channel);
    shelves.set(channel, shelf);
    return shelf;
  };

  const write = (channel: string, key: string, entry: Entry): Promise<void> => {
    const shelf = shelfOf(channel);
    shelf.keys.set(key, entry);
    const expected = shelf.seq as Seq;
    shelf.seq += 1;
    const stored = shelf.journal.append(expected, { seq: shelf.seq as Seq, key, ...entry });
    // Nobody knows what the file holds now: it is read again.
    return stored.catch((error: unknown) => {
      if (shelves.get(channel) === shelf) shelves.delete(channel);
      throw error;
    });
  };

  return {
    find: (channel, key) => {
      const entry = shelfOf(channel).keys.get(key);
      if (entry === undefined) return undefined;
      return entry.session === undefined ? "taken" : { session: entry.session };
    },
    intend: (channel, key, session) => write(channel, key, { at: clock.now(), session }),
    taken: (channel, key) => {
      // Lost with the machine, the conversation is asked.
      write(channel, key, { at: clock.now() }).catch((error: unknown) =>
        log.warn("keys.failed", { channel, message: messageOf(error) }),
      );
    },
  };
}
