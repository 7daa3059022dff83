/** Job states → when they are due, in which order, and how they stand. */
import type { Millis } from "../contract/base.ts";
import type { Job, JobView } from "../contract/schedule.ts";
import { messageOf } from "../lib/errors/errors.ts";
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

/** A zone that this machine does not know is a fault of one job, not of the others. */
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

/** Expressions and intervals know no time below this: a run may have a due time of its own within it. */
const SECOND_MS = 1000;

/**
 * A time that comes a second time, because the clock went back, has a run of its own: a job of each minute goes on.
 * Only the last one that ran keeps its name, and is known by it: what is due once a day does not run twice that day.
 */
export function ownDue({ again }: JobState, due: Millis): Millis {
  return again === undefined || due + SECOND_MS > again.until ? due : due + (again.times % SECOND_MS);
}

/** The job without times that a clock which went back has not reached again. */
export function begunBy({ job, handled }: JobState, now: Millis): Job {
  const { trigger } = job;
  const createdAt = Math.min(job.createdAt, now);
  // An anchor in the future that was asked for stays.
  if (trigger.kind !== "every" || trigger.fromMs <= now || trigger.fromMs > handled) return { ...job, createdAt };
  return { ...job, createdAt, trigger: { ...trigger, fromMs: now } };
}
