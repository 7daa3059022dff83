/** What became of a job's due times, from the journal: also of one that is gone. */
import type { JobCommit, JobRun, SkippedRuns } from "../contract/schedule.ts";
import { foldJobs, type Jobs } from "./jobs.ts";

export async function runsOf(
  id: string,
  commits: AsyncIterable<JobCommit>,
): Promise<readonly (JobRun | SkippedRuns)[]> {
  let jobs: Jobs = new Map();
  const runs: (JobRun | SkippedRuns)[] = [];
  for await (const commit of commits) {
    const own = commit.records.filter((record) => ("job" in record ? record.job.id : record.id) === id);
    if (own.length === 0) continue;
    jobs = foldJobs(jobs, { ...commit, records: own });
    for (const record of own) {
      if (record.type === "run.skipped") runs.push({ first: record.first, last: record.last, reason: record.reason });
      const last = record.type === "run.finished" ? jobs.get(id)?.last : undefined;
      if (last !== undefined) runs.push(last);
    }
  }
  return runs;
}
