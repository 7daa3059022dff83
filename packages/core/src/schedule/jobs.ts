/** (jobs, record) → jobs: the meaning of the job journal. Pure. */
import type { Millis, Seq } from "../contract/base.ts";
import type { Job, JobCommit, JobHistory, JobRecord, JobRun } from "../contract/schedule.ts";

/** `gone`: removed, or an `at` that had its time; kept, because a call that is run again after a crash must not add it twice. */
export interface JobState extends JobHistory {
  readonly job: Job;
}

/** In the order in which they were added. */
export type Jobs = ReadonlyMap<string, JobState>;

export function foldJobs(jobs: Jobs, commit: JobCommit): Jobs {
  const next = new Map(jobs);
  for (const record of commit.records) fold(next, record, commit.at);
  return next;
}

/** All at once: a copy of all jobs at each of many commits would take the product of both. */
export function foldAll(commits: readonly JobCommit[]): Jobs {
  const jobs = new Map<string, JobState>();
  for (const { records, at } of commits) for (const record of records) fold(jobs, record, at);
  return jobs;
}

function fold(jobs: Map<string, JobState>, record: JobRecord, at: Millis): void {
  const id = idOf(record);
  const state = applied(jobs.get(id), record, at);
  if (state !== undefined) jobs.set(id, state);
}

function idOf(record: JobRecord): string {
  return "job" in record ? record.job.id : record.id;
}

function applied(state: JobState | undefined, record: JobRecord, at: Millis): JobState | undefined {
  if (record.type === "job.added") return state ?? { ...added(record.job), ...record.was };
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

/** Runs that are told one by one, of each job; of earlier ones what became of the job. */
export const MAX_RUNS_TOLD = 500;
/** A journal is not written anew for less. */
const MIN_LINES = 1000;

/** The same jobs in fewer commits, with the last runs of each. Undefined: they would not be half as many. */
export function shortened(commits: readonly JobCommit[]): readonly JobCommit[] | undefined {
  if (commits.length < MIN_LINES) return undefined;
  const told = new Map<string, number>();
  const heads = new Map<string, JobState>();
  for (const { records } of commits) for (const record of records) if (isEnd(record)) count(told, record.id, 1);
  const tail: JobCommit[] = [];
  for (const commit of commits) {
    const late: JobRecord[] = [];
    for (const record of commit.records) {
      const id = idOf(record);
      // The first of a job is in its head in any case: they stay in the order in which they were added.
      if (!heads.has(id) || (told.get(id) ?? 0) > MAX_RUNS_TOLD) fold(heads, record, commit.at);
      else late.push(record);
      if (isEnd(record)) count(told, id, -1);
    }
    if (late.length > 0) tail.push({ ...commit, records: late });
  }
  const { at } = commits[0]!;
  const added = [...heads.values()].map(({ job, ...was }): JobRecord => ({ type: "job.added", job, was }));
  const short = [...(added.length === 0 ? [] : [{ at, records: added }]), ...tail];
  if (short.length > commits.length / 2) return undefined;
  return short.map(({ at: time, records }, index) => ({ seq: (index + 1) as Seq, at: time, records }));
}

function isEnd(record: JobRecord): record is Extract<JobRecord, { readonly type: "run.finished" | "run.skipped" }> {
  return record.type === "run.finished" || record.type === "run.skipped";
}

function count(counts: Map<string, number>, id: string, by: number): void {
  counts.set(id, (counts.get(id) ?? 0) + by);
}
