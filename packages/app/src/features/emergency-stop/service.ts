/** The flag of the emergency stop: a document of its own, so that a restart does not forget it and anybody can set it. */
import { changeDoc, type Doc, type Docs, type StopFlag } from "@margay/core/internal";

/** `touch paused` in the state directory stops everything too. */
const NAME = "paused";
const RELEASED = "no\n";
/** Who did it when the flag does not say. */
const SOMEBODY = "file";

export interface StopNote {
  readonly by?: string;
  readonly at?: number;
}
export interface StopFlagFile extends StopFlag {
  set(on: boolean, by?: string): Promise<void>;
  /** Who set it and when, as far as the flag says so; undefined while it is not set. */
  readonly since: StopNote | undefined;
  /** Told when somebody else sets or takes away the flag: another command, or a person with `touch` or `rm`. */
  watch(turned: (on: boolean, by: string) => void): Disposable;
}

export interface StopFlagOptions {
  readonly docs: Docs;
  readonly now: () => number;
  /** Told of every change that is made here or seen by `watch`: for the audit log. */
  readonly changed?: (on: boolean, by: string) => void;
}

/** What stops, and cannot be read: something is there. */
const UNREADABLE: Pick<Doc, "body"> = { body: "" };

/** Asked at each step of a turn. Only no flag, or one that says "no", lets anything begin: what is damaged stops. */
export function openStopFlag({ docs, now, changed }: StopFlagOptions): StopFlagFile {
  const flag = (): (Pick<Doc, "body"> & Partial<Doc>) | undefined => {
    try {
      const found = docs.peek(NAME);
      return found?.body === RELEASED ? undefined : found;
    } catch {
      return UNREADABLE;
    }
  };
  /** Set, and not written, or the disk did not take it: it holds for as long as this process lives. */
  let unwritten = false;
  /** Stops that began here: a release on its way releases no later one. */
  let stops = 0;
  /** What this process writes now is told by who wrote it. */
  let writing = 0;
  const isSet = (): boolean => unwritten || flag() !== undefined;
  const noteOf = (): StopNote | undefined => {
    const found = flag();
    if (found === undefined) return unwritten ? {} : undefined;
    return { ...(found.at !== undefined && { at: found.at }), ...noteIn(found.body) };
  };
  let told = isSet();
  return {
    get on() {
      return isSet();
    },
    get since() {
      return noteOf();
    },
    set: async (on, by = SOMEBODY) => {
      const was = isSet();
      const seen = flag()?.body;
      if (on) {
        unwritten = true;
        stops += 1;
      }
      const last = stops;
      writing += 1;
      try {
        const body = on ? `${JSON.stringify({ stopped: true, by, at: now() })}\n` : RELEASED;
        await changeDoc(docs, NAME, (found) => [on || found === seen ? body : found, undefined]);
        if (stops === last) unwritten = false;
      } finally {
        writing -= 1;
        told = isSet();
        if (was !== told) changed?.(told, by);
      }
    },
    watch: (turned) => {
      const look = (): void => {
        const on = isSet();
        if (on === told || writing > 0) return;
        told = on;
        const by = noteOf()?.by ?? SOMEBODY;
        changed?.(on, by);
        turned(on, by);
      };
      return docs.watch(NAME, look);
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
