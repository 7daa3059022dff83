/**
 * The keys of what platforms delivered, in files.
 * An intent stands before the message is stored, and its end after that: of a key without an end the conversation knows.
 */
import { renameSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Logger, Millis, Seq } from "../contract/base.ts";
import type { JournalLine } from "../contract/services.ts";
import type { Keys } from "../contract/store.ts";
import { encodeAll, openFileJournal, type FileJournal } from "./journal.ts";
import { hasCode, messageOf } from "../lib/errors/errors.ts";
import { makeDirectory, replaceFile } from "../machine/files/files.ts";
import { addHashes, hasHash } from "../machine/files/hash-file.ts";

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
  readonly keys: Map<string, Entry>;
  readonly journal: FileJournal<KeyLine>;
  /** Lines, those that it was opened with, and those that are on their way to the disk. */
  seq: number;
  readonly opened: number;
  writing: number;
}

/** Kept: these at least, and all of this time. */
const MIN_KEYS = 100_000;
const MIN_MS = 30 * 86_400_000;
/** So many lines are read in a few milliseconds. */
const MANY_LINES = 300;

export interface ReceivedKeysOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many are kept at least; default 100,000. */
  readonly least?: number;
  /** After so many lines what is stored leaves the journal; default 300. */
  readonly lines?: number;
}

/** A journal for each channel, read when its first message comes, and beside it the hashes of what is stored, which nobody reads. */
export function receivedKeys(options: ReceivedKeysOptions): Keys {
  const { clock, log, lines: many = MANY_LINES } = options;
  const { opened, folded, isStored } = files(options);
  const shelves = new Map<string, Shelf>();

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
    shelf.writing += 1;
    const stored = shelf.journal.append(expected, { seq: shelf.seq as Seq, key, ...entry });
    return stored.then(
      () => settled(channel, shelf),
      (error: unknown) => {
        // Nobody knows what the file holds now: it is read again.
        if (shelves.get(channel) === shelf) shelves.delete(channel);
        throw error;
      },
    );
  };

  /** Folded when nothing is on its way into the old file. What fails is tried again with the next line. */
  const settled = (channel: string, shelf: Shelf): void => {
    shelf.writing -= 1;
    if (shelf.writing > 0 || shelf.seq - shelf.opened <= many || shelves.get(channel) !== shelf) return;
    try {
      shelves.set(channel, folded(channel, shelf));
    } catch (error) {
      shelves.delete(channel);
      log.warn("keys.failed", { channel, message: messageOf(error) });
    }
  };

  return {
    find: (channel, key) => {
      const entry = shelfOf(channel).keys.get(key);
      if (entry === undefined) return isStored(channel, key) ? "taken" : undefined;
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

/** What the disk holds of each channel. */
function files({ directory, clock, log, least = MIN_KEYS, lines: many = MANY_LINES }: ReceivedKeysOptions): {
  readonly opened: (channel: string) => Shelf;
  readonly folded: (channel: string, shelf: Shelf) => Shelf;
  readonly isStored: (channel: string, key: string) => boolean;
} {
  const pathOf = (channel: string, kind = "journal"): string =>
    join(directory, `${encodeURIComponent(channel)}.${kind}`);

  const read = (channel: string): Shelf => {
    const journal = openFileJournal<KeyLine>(pathOf(channel));
    const keys = new Map<string, Entry>();
    const lines = journal.takeOpened();
    for (const { key, at, session } of lines) keys.set(key, session === undefined ? { at } : { at, session });
    return { keys, journal, seq: lines.length, opened: lines.length, writing: 0 };
  };

  /** The journal keeps what a process that died may have left open. Killed in between, what is in both is the same. */
  const folded = (channel: string, { keys, journal }: Shelf): Shelf => {
    journal.release();
    const before = clock.now() - MIN_MS;
    const stored = [...keys].filter(([, { session }]) => session === undefined);
    addHashes(
      pathOf(channel, "hashes"),
      stored.map(([text, { at }]) => ({ text, at })),
      { least, before },
    );
    const open = [...keys].filter(([, { session, at }]) => session !== undefined && at >= before);
    const lines = open.map(([key, entry], at): KeyLine => ({ seq: (at + 1) as Seq, key, ...entry }));
    replaceFile(pathOf(channel), encodeAll(lines));
    return read(channel);
  };

  const opened = (channel: string): Shelf => {
    makeDirectory(directory);
    try {
      const shelf = read(channel);
      return shelf.seq > many ? folded(channel, shelf) : shelf;
    } catch (error) {
      if (!hasCode(error, "journal.damaged")) throw error;
      // Each conversation knows its own keys: better that than a channel that takes nothing any more.
      renameSync(pathOf(channel), `${pathOf(channel)}.damaged-${clock.now()}`);
      log.error("keys.damaged", { channel, message: messageOf(error) });
      return read(channel);
    }
  };

  return { opened, folded, isStored: (channel, key) => hasHash(pathOf(channel, "hashes"), key) };
}
