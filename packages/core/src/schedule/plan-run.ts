/** Which due time of a job is to be run now, and which are given up: the misfire policy as a pure function. */
import type { Millis } from "../contract/base.ts";
import type { SkippedRuns } from "../contract/schedule.ts";
import type { Calendar } from "./calendar.ts";
import type { JobState } from "./jobs.ts";
import { lastDues, nextDue } from "./trigger.ts";

export interface PlanRunInput {
  readonly now: Millis;
  /** Nobody could run anything up to here: the process began, or the machine woke up, then. */
  readonly awakeSince: Millis;
  /** When this job's last run ended, in this process. */
  readonly busyUntil: Millis | undefined;
  readonly maxCatchUp: number;
  readonly calendar: Calendar;
}

export interface PlannedRun {
  /** To be recorded as skipped, in the same commit as the run. */
  readonly skip?: SkippedRuns;
  readonly due?: Millis;
}

/**
 * Undefined: nothing is due.
 * @throws Error when the expression or zone means nothing here.
 */
export function planRun(state: JobState, input: PlanRunInput): PlannedRun | undefined {
  const { job, handled } = state;
  const { now, awakeSince, busyUntil, calendar } = input;
  const { trigger, misfire } = job;
  const first = nextDue(trigger, handled, calendar);
  if (first === undefined || first > now) return undefined;
  const dues = lastDues(trigger, handled, now, misfire === "all" ? input.maxCatchUp : 1, calendar);
  const newest = dues.at(-1) ?? first;
  // What was due when it was added could not have been run before that.
  const missed = Math.max(newest, job.createdAt) <= Math.max(awakeSince, busyUntil ?? awakeSince);
  const due = misfire === "all" ? (dues[0] ?? first) : misfire === "skip" && missed ? undefined : newest;
  const reason = misfire === "all" ? "limit" : busyUntil !== undefined && first <= busyUntil ? "overlap" : "missed";
  if (due === undefined) return { skip: { first, last: newest, reason } };
  if (first >= due) return { due };
  return { skip: { first, last: lastDues(trigger, handled, due - 1, 1, calendar)[0] ?? first, reason }, due };
}
