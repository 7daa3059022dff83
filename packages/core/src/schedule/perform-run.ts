/** What the journal says was begun, to its end: the job runs, whoever must hear of a failure does, and the outcome is stored. */
import type { Clock, Logger, Millis } from "../contract/base.ts";
import type { Notifications } from "../contract/notification.ts";
import type { Job, JobRun } from "../contract/schedule.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { timeText } from "./words.ts";
import { undeliverableId } from "./channel.ts";
import type { ScheduleHost } from "./follow-turn.ts";
import type { JobStore } from "./job-store.ts";
import { type AudienceAt, pausedId, runJob, sessionOf, tellPaused, type RunEnd } from "./run-job.ts";
import { jobPaused } from "../loop/texts.ts";

export interface PerformOptions {
  /** In which the run was begun. It may break meanwhile. */
  readonly begun: JobStore;
  readonly open: () => Promise<JobStore>;
  readonly host: () => ScheduleHost;
  readonly settings: (by?: Job["by"]) => {
    readonly jobTimeoutMs: Millis;
    readonly timeZone: string;
    readonly language?: "en" | "zh-CN";
    readonly command?: string;
  };
  readonly clock: Clock;
  readonly log: Logger;
  readonly targetFault?: (job: Pick<Job, "to" | "by" | "agent">) => string | undefined;
  /** Why its text is not for who reads its chat now. */
  readonly readersFault?: (job: Job) => Promise<string | undefined>;
  readonly notify?: Notifications["add"];
  readonly audienceAt?: AudienceAt;
}

/** A job that fails so often in a row fails for a reason that only a person can take away. */
const MAX_FAILING = 3;

/** @returns undefined when nothing was begun. */
export async function performRun(
  id: string,
  { begun, open, host, settings, clock, log, audienceAt, ...options }: PerformOptions,
  signal: AbortSignal,
): Promise<JobRun | undefined> {
  const state = begun.jobs.get(id);
  if (state?.running === undefined) return undefined;
  const { due, startedAt } = state.running;
  const { jobTimeoutMs: timeoutMs, timeZone } = settings(state.job.by);
  const before = clock.monotonic();
  const spent = Math.max(0, clock.now() - startedAt);
  // A run that goes on after a restart has its whole time again: being down was not its fault.
  const run = {
    host: host(),
    clock,
    timeoutMs,
    timeText: (at: Millis) => timeText(at, timeZone),
    ...(audienceAt !== undefined && { audienceAt }),
  };
  // A chat that cannot be read ends this run, and not the schedule.
  const fault = options.targetFault?.(state.job) ?? (await options.readersFault?.(state.job).catch(messageOf));
  const end: RunEnd =
    fault === undefined ? await runJob(state.job, due, run, signal) : { status: "error", error: fault };
  if (end.error !== undefined) log.warn("cron.failed", { job: id, due, status: end.status, message: end.error });
  const durationMs = Math.round(spent + clock.monotonic() - before);
  const store = await open();
  const paused = end.status === "error" && state.job.trigger.kind !== "at" && state.failing + 1 >= MAX_FAILING;
  // Told first: a run that is not ended in the journal ends again, and what is told is told once.
  if (fault !== undefined) await tellUndeliverable(state.job, due, paused, { clock, ...options });
  else if (paused) {
    const { language = "en", command = "margay" } = settings();
    const words = { job: state.job, times: MAX_FAILING, error: end.error ?? "", command };
    await tellPaused(state.job, due, jobPaused(language, words), run);
  }
  await store.commit(
    { type: "run.finished", id, due, ...end, durationMs },
    ...(paused ? [{ type: "job.switched" as const, id, enabled: false }] : []),
  );
  return store.jobs.get(id)?.last;
}

/** Nobody is in its chat: the pages say so. */
async function tellUndeliverable(
  job: Job,
  due: Millis,
  paused: boolean,
  { clock, notify }: Pick<PerformOptions, "clock" | "notify">,
): Promise<void> {
  const session = sessionOf(job);
  await notify?.({ id: undeliverableId(session, clock.now()), kind: "undeliverable", session });
  if (paused) await notify?.({ id: pausedId(job, due), kind: "paused", session });
}
