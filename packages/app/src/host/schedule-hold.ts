/** Whether what is scheduled waits for a person because margay crashed again and again: a file of the state directory. */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Clock, type Logger } from "@margay/core";
import {
  afterUncleanStart,
  messageOf,
  NO_STARTS,
  readIfExists,
  replaceFile,
  watchEntries,
  type Millis,
  type StartNotes,
} from "@margay/core/internal";
import type { AppAudit } from "./audit-events.ts";

const FILE = "unclean-starts.json";
/** Who released it when that was another process. */
const SOMEBODY = "file";

export interface ScheduleHold {
  /** Undefined: what is scheduled becomes due. */
  readonly since: Millis | undefined;
  /** Call once at a start after one that did not end cleanly. @throws the system's error when it cannot be written. */
  noteUncleanStart(): void;
  /** @returns false when nothing was held. */
  release(by: string): boolean;
  /** Told when it was released. @returns the function that ends it. */
  listen(released: (by: string) => void): () => void;
  /** Also when another process did. */
  watch(): Disposable;
}

export function openScheduleHold({ home, now }: { readonly home: string; readonly now: () => Millis }): ScheduleHold {
  const path = join(home, FILE);
  const read = (): StartNotes => {
    // Asked whenever something may be due, when there is nearly always no file.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return NO_STARTS;
    const text = readIfExists(path)?.toString("utf8");
    return text === undefined ? NO_STARTS : (notesIn(text) ?? { unclean: [], heldSince: Math.floor(stats.mtimeMs) });
  };
  const isHeld = (): boolean => read().heldSince !== undefined;
  const listeners = new Set<(by: string) => void>();
  let told = isHeld();
  const look = (by: string): void => {
    const held = isHeld();
    if (told === held) return;
    told = held;
    if (!held) for (const listener of listeners) listener(by);
  };
  return {
    get since() {
      return read().heldSince;
    },
    noteUncleanStart: () => {
      replaceFile(path, `${JSON.stringify(afterUncleanStart(read(), now()))}\n`);
      told = isHeld();
    },
    release: (by) => {
      if (!isHeld()) return false;
      rmSync(path, { force: true });
      look(by);
      return true;
    },
    listen: (released) => {
      listeners.add(released);
      return () => void listeners.delete(released);
    },
    watch: () => watchEntries(home, [FILE], () => look(SOMEBODY)),
  };
}

/** The one of this process, which notes its own start. */
export function scheduleHold(options: {
  readonly home: string;
  /** The last process did not end cleanly. */
  readonly unclean: boolean;
  readonly clock: Clock;
  readonly audit: Pick<AppAudit, "record">;
  readonly log: Logger;
}): ScheduleHold {
  const { home, unclean, clock, audit, log } = options;
  const hold = openScheduleHold({ home, now: clock.now });
  const before = hold.since;
  try {
    if (unclean) hold.noteUncleanStart();
  } catch (error) {
    log.error("schedule.unnoted", { message: messageOf(error) }); // a full disk keeps nobody from starting
  }
  const { since } = hold;
  if (since === undefined) return hold;
  if (before === undefined) audit.record("schedule.held", { by: "crashes" });
  log.error("schedule.held", { since, next: "margay cron resume" });
  return hold;
}

/** Undefined for what this file did not write: then it holds until a person says otherwise. */
function notesIn(text: string): StartNotes | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("unclean" in value) || !Array.isArray(value.unclean))
      return undefined;
    const heldSince = "heldSince" in value ? value.heldSince : undefined;
    if (heldSince !== undefined && typeof heldSince !== "number") return undefined;
    const unclean = value.unclean.filter((at) => typeof at === "number");
    return { unclean, ...(heldSince !== undefined && { heldSince }) };
  } catch {
    return undefined;
  }
}
