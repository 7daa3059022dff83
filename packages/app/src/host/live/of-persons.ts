/** Which notes about what changed a login of a person hears: those about what is theirs. */
import type { Json } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import { eventsOf, mayRead, personOf, type Caller } from "../sessions/access.ts";
import type { Topic } from "./topics.ts";

/** What a login of a person may hear of: as far as it is theirs. */
export const OF_PERSONS: ReadonlySet<Topic> = new Set(["sessions", "cron"]);

/** Whether it is about a conversation that they read, or a job of theirs. */
export async function speaksOf(data: Json, caller: Caller): Promise<boolean> {
  const { changed, session = changed, job } = isRecord(data) ? data : {};
  if (job !== undefined) {
    const jobs = (await caller.services.app.schedule.cron?.list()) ?? [];
    return jobs.some(({ id, by }) => id === job && by === personOf(caller));
  }
  for (const summary of eventsOf(caller.services).index.known())
    if (summary.id === session) return mayRead(caller, summary);
  return false;
}
