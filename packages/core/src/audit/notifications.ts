/** What a person should look at, in one file: which conversation and when, no word of what was said. */
import { renameSync } from "node:fs";
import type { Clock, Logger, Seq } from "../contract/base.ts";
import type { Notification, Notifications } from "../contract/notification.ts";
import type { JournalLine } from "../contract/services.ts";
import { hasCode, messageOf } from "../lib/errors/errors.ts";
import { createSerial } from "../lib/async/serial.ts";
import { replaceFile } from "../machine/files/files.ts";
import { encodeAll, openFileJournal, type FileJournal } from "../journal/journal.ts";

export interface NotificationsOptions {
  /** `MARGAY_HOME/notifications.jsonl`. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Lines that the file may hold before it is written anew. Default: 1,000. */
  readonly maxLines?: number;
}

interface Occurred extends Pick<Notification, "id" | "kind" | "session" | "count"> {
  readonly seen?: true;
}
interface Seen {
  readonly id: string;
  readonly kind?: undefined;
}
type Line = JournalLine & (Occurred | Seen);

interface Shelf {
  /** By conversation and kind, the oldest first. */
  readonly entries: Map<string, Notification>;
  readonly journal: FileJournal<Line>;
  seq: number;
}

/** More places than this wait for nobody: those that were seen go first. */
const MAX_ENTRIES = 200;

/** Nothing is read before the first use. */
export function openNotifications({ path, clock, log, maxLines = 1000 }: NotificationsOptions): Notifications {
  const alone = createSerial();
  const watchers = new Set<() => void>();
  let opened: Shelf | undefined;

  const load = (): Shelf => {
    const journal = openFileJournal<Line>(path);
    const entries = new Map<string, Notification>();
    const lines = journal.takeOpened();
    for (const line of lines) fold(entries, line);
    return { entries, journal, seq: lines.length };
  };

  const open = (): Shelf => {
    try {
      return load();
    } catch (error) {
      if (!hasCode(error, "journal.damaged")) throw error;
      // The conversations have it all: better that than nothing that is ever told again.
      renameSync(path, `${path}.damaged-${clock.now()}`);
      log.error("notifications.damaged", { message: messageOf(error) });
      return load();
    }
  };

  const shelf = (): Shelf => (opened ??= open());

  const compact = async ({ entries, journal }: Shelf): Promise<void> => {
    await journal[Symbol.asyncDispose]();
    opened = undefined;
    const lines = [...entries.values()].map(({ seen, ...entry }, index): Line => ({
      seq: (index + 1) as Seq,
      ...entry,
      ...(seen && { seen }),
    }));
    replaceFile(path, encodeAll(lines));
  };

  const write = async (content: Occurred | Seen): Promise<void> => {
    if (shelf().seq >= maxLines) await compact(shelf());
    const into = shelf();
    const line: Line = { seq: (into.seq + 1) as Seq, at: clock.now(), ...content };
    const stored = into.journal.append(into.seq as Seq, line);
    into.seq += 1;
    try {
      await stored;
    } catch (error) {
      if (opened === into) opened = undefined; // nobody knows what the file holds now: it is read again
      throw error;
    }
    fold(into.entries, line);
    for (const changed of watchers) changed();
  };

  return {
    add: ({ id, kind, session }) =>
      alone("", async () => {
        const before = shelf().entries.get(placeOf({ kind, session }));
        if (before?.id === id) return;
        const count = before === undefined || before.seen ? 1 : before.count + 1;
        await write({ id, kind, session, count });
      }),
    list: () => [...shelf().entries.values()].toReversed(),
    see: (ids) =>
      alone("", async () => {
        const unseen = [...shelf().entries.values()].filter(({ id, seen }) => !seen && ids.includes(id));
        for (const { id } of unseen) await write({ id });
      }),
    watch: (changed) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
}

function placeOf({ kind, session }: Pick<Notification, "kind" | "session">): string {
  return `${kind}\n${session}`;
}

function fold(entries: Map<string, Notification>, line: Line): void {
  const { id, at } = line;
  if (line.kind === undefined) {
    for (const [place, entry] of entries) if (entry.id === id) entries.set(place, { ...entry, seen: true });
    return;
  }
  const { kind, session, count, seen = false } = line;
  const place = placeOf(line);
  entries.delete(place); // the latest is the last
  entries.set(place, { id, at, kind, session, count, seen });
  if (entries.size <= MAX_ENTRIES) return;
  const goes = [...entries].find(([, entry]) => entry.seen) ?? [...entries][0];
  if (goes !== undefined) entries.delete(goes[0]);
}
