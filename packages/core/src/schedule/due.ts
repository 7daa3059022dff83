/** Job states → when they are due, in which order, and how they stand. */
import type { Millis } from "../contract/base.ts";
import type { JobView } from "../contract/schedule.ts";
import { messageOf } from "../lib/errors.ts";
import type { Calendar } from "./calendar.ts";
import type { JobState } from "./jobs.ts";
import { nextDue } from "./trigger.ts";

export function viewOf(state: JobState, calendar: Calendar): JobView {
  const { at, invalid } = dueAfter(state, calendar);
  const { job, enabled, running, runs, failures, last, skipped } = state;
  return {
    ...job,
    enabled,
    running: running !== undefined,
    ...(running !== undefined && { run: running }),
    runs,
    failures,
    ...(at !== undefined && { nextAt: at }),
    ...(last !== undefined && { last }),
    ...(skipped !== undefined && { skipped }),
    ...(invalid !== undefined && { invalid }),
  };
}

/** A zone that this machine does not know is a fault of one job, not of the others (CR9). */
export function dueAfter(state: JobState, calendar: Calendar): { readonly at?: Millis; readonly invalid?: string } {
  if (state.gone || !state.enabled) return {};
  try {
    const at = nextDue(state.job.trigger, state.handled, calendar);
    return at === undefined ? {} : { at };
  } catch (error) {
    return { invalid: messageOf(error) };
  }
}

/** Who has waited longest is first when there is not room for all. */
export function byDue(states: Iterable<JobState>, calendar: Calendar): readonly string[] {
  return [...states]
    .filter((state) => !state.gone)
    .map((state) => ({ state, at: dueAfter(state, calendar).at ?? Number.POSITIVE_INFINITY }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ state }) => state.job.id);
}
