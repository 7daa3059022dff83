/** (jobs, record) → jobs: the meaning of the job journal. Pure. */
import type { Millis } from "../contract/base.ts";
import type { Job, JobCommit, JobRecord, JobRun, SkippedRuns } from "../contract/schedule.ts";

export interface JobState {
  readonly job: Job;
  readonly enabled: boolean;
  /** Removed, or an `at` that had its time. Kept, because a call that is run again after a crash must not add it twice. */
  readonly gone: boolean;
  /** Due times up to here were begun or skipped. */
  readonly handled: Millis;
  /** The clock went back so often: times up to here come a second time. */
  readonly again?: { readonly until: Millis; readonly times: number };
  /** Begun and not ended. */
  readonly running?: { readonly due: Millis; readonly manual: boolean; readonly startedAt: Millis };
  readonly last?: JobRun;
  readonly runs: number;
  readonly failures: number;
  /** Runs in a row that ended in an error: no model, no budget, nobody to send it to. */
  readonly failing: number;
  readonly skipped?: SkippedRuns;
}

/** In the order in which they were added. */
export type Jobs = ReadonlyMap<string, JobState>;

export function foldJobs(jobs: Jobs, commit: JobCommit): Jobs {
  const next = new Map(jobs);
  for (const record of commit.records) {
    const id = "job" in record ? record.job.id : record.id;
    const state = applied(next.get(id), record, commit.at);
    if (state !== undefined) next.set(id, state);
  }
  return next;
}

function applied(state: JobState | undefined, record: JobRecord, at: Millis): JobState | undefined {
  if (record.type === "job.added") return state ?? added(record.job);
  if (state === undefined) return undefined; // a journal put together by hand
  switch (record.type) {
    case "job.changed": {
      // Times before now are not made up for: nobody had asked for them.
      const isOnce = record.job.trigger.kind === "at";
      const handled = Math.max(added(record.job).handled, isOnce ? 0 : at);
      const until = Math.max(state.handled, state.again?.until ?? 0);
      const again = { until, times: (state.again?.times ?? 0) + 1 };
      return { ...state, job: record.job, handled, ...(!isOnce && state.handled > handled && { again }) };
    }
    case "job.removed":
      return { ...state, gone: true };
    case "job.switched":
      return {
        ...state,
        enabled: record.enabled,
        failing: 0,
        handled: record.enabled ? Math.max(state.handled, at) : state.handled,
      };
    case "run.started":
      return {
        ...state,
        running: { due: record.due, manual: record.manual, startedAt: at },
        handled: record.manual ? state.handled : Math.max(state.handled, record.due),
      };
    case "run.skipped": {
      const { first, last, reason } = record;
      return over({ ...state, skipped: { first, last, reason }, handled: Math.max(state.handled, last) });
    }
    case "run.finished": {
      const { running, ...rest } = state;
      const run: JobRun = {
        due: record.due,
        manual: running?.manual ?? false,
        startedAt: running?.startedAt ?? at,
        status: record.status,
        durationMs: record.durationMs,
        ...(record.error !== undefined && { error: record.error }),
      };
      const failed = record.status === "error" || record.status === "timeout";
      return over({
        ...rest,
        last: run,
        runs: rest.runs + 1,
        failures: rest.failures + (failed ? 1 : 0),
        failing: record.status === "error" ? rest.failing + 1 : 0,
      });
    }
  }
}

/** An `at` may lie a little in the past when it is added; everything else begins after that. */
function added(job: Job): JobState {
  const handled = job.trigger.kind === "at" ? job.trigger.atMs - 1 : job.createdAt;
  return { job, enabled: true, gone: false, handled, runs: 0, failures: 0, failing: 0 };
}

/** A one-time job disappears after its time. */
function over(state: JobState): JobState {
  const { trigger } = state.job;
  return trigger.kind === "at" && state.handled >= trigger.atMs ? { ...state, gone: true } : state;
}
