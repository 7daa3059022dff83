/** The flag of the emergency stop: a file of the state directory, so that a restart does not forget it and anybody can set it. */
import { lstatSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMissing, replaceFile, watchEntries, type StopFlag } from "@margay/core/internal";

/** Its name in the state directory: `touch paused` stops everything too. */
export const STOP_FILE = "paused";
const RELEASED = "no\n";
/** Who did it when the flag does not say. */
const SOMEBODY = "file";

export interface StopNote {
  readonly by?: string;
  readonly at?: number;
}
export interface StopFlagFile extends StopFlag {
  /** Who set it and when, as far as the flag says so; undefined while it is not set. */
  readonly since: StopNote | undefined;
  /** Told when somebody else sets or takes away the flag: another command, or a person with `touch` or `rm`. */
  watch(turned: (on: boolean, by: string) => void): Disposable;
}

export interface StopFlagOptions {
  readonly home: string;
  readonly now: () => number;
  /** Told of every change that is made here or seen by `watch`: for the audit log. */
  readonly changed?: (on: boolean, by: string) => void;
}

/** Read anew for each question. Only no file, or one that says "no", lets anything begin: what is damaged stops. */
export function openStopFlag({ home, now, changed }: StopFlagOptions): StopFlagFile {
  const path = join(home, STOP_FILE);
  const read = (): string => {
    try {
      // Asked at each step of a turn, when there is nearly always no flag: an error costs twenty times a look.
      // Of the name itself: a link whose target cannot be read is a flag, and stops.
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return RELEASED;
      return readFileSync(path, "utf8");
    } catch (error) {
      return isMissing(error) ? RELEASED : "";
    }
  };
  /** Set, and the disk did not take it: it holds for as long as this process lives. */
  let unwritten = false;
  const isSet = (): boolean => unwritten || read() !== RELEASED;
  const noteOf = (): StopNote | undefined => {
    const text = read();
    if (text === RELEASED) return unwritten ? {} : undefined;
    const touchedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    return { ...(touchedAt !== undefined && { at: Math.floor(touchedAt) }), ...noteIn(text) };
  };
  let told = isSet();
  return {
    get on() {
      return isSet();
    },
    get since() {
      return noteOf();
    },
    set: (on, by = SOMEBODY) => {
      const was = isSet();
      if (on) unwritten = true;
      try {
        replaceFile(path, on ? `${JSON.stringify({ stopped: true, by, at: now() })}\n` : RELEASED);
        unwritten = false;
      } finally {
        told = isSet();
        if (was !== told) changed?.(told, by);
      }
    },
    watch: (turned) => {
      const look = (): void => {
        const on = isSet();
        if (on === told) return;
        told = on;
        const by = noteOf()?.by ?? SOMEBODY;
        changed?.(on, by);
        turned(on, by);
      };
      return watchEntries(home, [STOP_FILE], look);
    },
  };
}

function noteIn(text: string): StopNote {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return {};
    return {
      ...("by" in value && typeof value.by === "string" && { by: value.by }),
      ...("at" in value && typeof value.at === "number" && { at: value.at }),
    };
  } catch {
    return {}; // touched by hand, or half-written: stopped all the same
  }
}
