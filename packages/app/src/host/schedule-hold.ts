/** Whether what is scheduled waits for a person because margay crashed again and again. */
import { type Clock, type Logger } from "@margay/core";
import {
  afterUncleanStart,
  changeDoc,
  messageOf,
  NO_STARTS,
  type Doc,
  type Docs,
  type Millis,
  type StartNotes,
} from "@margay/core/internal";
import type { AppAudit } from "./audit-events.ts";

const NAME = "unclean-starts.json";
/** Who released it when that was another process. */
const SOMEBODY = "file";

export interface ScheduleHold {
  /** Undefined: what is scheduled becomes due. */
  readonly since: Millis | undefined;
  /** Call once at a start after one that did not end cleanly. @throws the system's error when it cannot be written. */
  noteUncleanStart(): Promise<void>;
  /** @returns false when nothing was held. */
  release(by: string): Promise<boolean>;
  /** Told when it was released. @returns the function that ends it. */
  listen(released: (by: string) => void): () => void;
  /** Also when another process did. */
  watch(): Disposable;
}

export function openScheduleHold({ docs, now }: { readonly docs: Docs; readonly now: () => Millis }): ScheduleHold {
  const read = (): StartNotes => notesOf(docs.peek(NAME));
  const isHeld = (): boolean => read().heldSince !== undefined;
  /** Who releases it here, as long as that is being written. */
  let releasing: string | undefined;
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
    noteUncleanStart: async () => {
      await changeDoc(docs, NAME, (body) => {
        const before = body === undefined ? NO_STARTS : (notesIn(body) ?? read());
        return [`${JSON.stringify(afterUncleanStart(before, now()))}\n`, undefined];
      });
      told = isHeld();
    },
    release: async (by) => {
      if (!isHeld()) return false;
      releasing = by;
      try {
        await changeDoc(docs, NAME, () => [undefined, undefined]);
        look(by);
      } finally {
        releasing = undefined;
      }
      return true;
    },
    listen: (released) => {
      listeners.add(released);
      return () => void listeners.delete(released);
    },
    watch: () => docs.watch(NAME, () => look(releasing ?? SOMEBODY)),
  };
}

/** The one of this process, which notes its own start. */
export async function scheduleHold(options: {
  readonly docs: Docs;
  /** The last process did not end cleanly. */
  readonly unclean: boolean;
  readonly clock: Clock;
  readonly audit: Pick<AppAudit, "record">;
  readonly log: Logger;
}): Promise<ScheduleHold> {
  const { docs, unclean, clock, audit, log } = options;
  const hold = openScheduleHold({ docs, now: clock.now });
  const before = hold.since;
  try {
    if (unclean) await hold.noteUncleanStart();
  } catch (error) {
    log.error("schedule.unnoted", { message: messageOf(error) }); // a full disk keeps nobody from starting
  }
  const { since } = hold;
  if (since === undefined) return hold;
  if (before === undefined) audit.record("schedule.held", { by: "crashes" });
  log.error("schedule.held", { since, next: "margay cron resume" });
  return hold;
}

function notesOf(doc: Doc | undefined): StartNotes {
  return doc === undefined ? NO_STARTS : (notesIn(doc.body) ?? { unclean: [], heldSince: doc.at });
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
