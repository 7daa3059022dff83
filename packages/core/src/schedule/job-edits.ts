/** Jobs as tools, commands and pages list, add and change them; when one becomes due is another matter. */
import type { Clock, Ids } from "../contract/base.ts";
import type { CronService, Job, JobRequest, JobRun, JobView, Misfire, SkippedRuns } from "../contract/schedule.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import type { Calendar } from "./calendar.ts";
import { viewOf } from "./due.ts";
import { runsOf } from "./job-history.ts";
import type { JobStore } from "./job-store.ts";
import type { JobState } from "./jobs.ts";
import { jobFrom } from "./validate.ts";

export interface JobEditDeps {
  readonly open: () => Promise<JobStore>;
  /** Loads the parser of expressions. */
  readonly needCalendar: () => Promise<void>;
  /** A stand-in until it is loaded. */
  readonly calendar: () => Calendar;
  /** @param by Whose job it is. */
  readonly settings: (by?: Job["by"]) => { readonly timeZone: string; readonly misfire: Misfire };
  readonly targetFault: ((job: Pick<Job, "to" | "by" | "agent">) => string | undefined) | undefined;
  /** Told that something may be due at another time. */
  readonly changed: () => void;
  readonly clock: Pick<Clock, "now">;
  readonly ids: Ids;
}

export function jobEdits({
  open,
  needCalendar,
  calendar,
  settings,
  targetFault,
  changed,
  clock,
  ids,
}: JobEditDeps): Pick<CronService, "add" | "list" | "runs" | "change" | "remove" | "setEnabled"> {
  const view = (state: JobState): JobView => viewOf(state, calendar());
  const refuseTarget = (job: Pick<Job, "to" | "by" | "agent">): void => {
    const fault = targetFault?.(job);
    if (fault !== undefined) throw new RuntimeError("cron.invalid", `to: ${fault}`, { details: { field: "to" } });
  };
  return {
    add: async (request) => {
      const store = await open();
      if (request.cron_expr !== undefined) await needCalendar();
      const id = request.id ?? ids.next("job");
      const known = store.jobs.get(id);
      if (known !== undefined) return view(known);
      const { timeZone, misfire } = settings(request.by);
      const job = jobFrom(request, id, { now: clock.now(), timeZone, misfire, calendar: calendar() });
      refuseTarget(job);
      await store.commit(
        { type: "job.added", job },
        ...(request.enabled === false ? [{ type: "job.switched" as const, id, enabled: false }] : []),
      );
      changed();
      const added = store.jobs.get(id);
      if (added === undefined) throw new RuntimeError("internal.bug", `The job ${id} was stored and is not there.`);
      return view(added);
    },
    list: async (ended = false) => {
      const { jobs } = await open();
      const isShown = ({ gone, last, job }: JobState): boolean =>
        !gone || (ended && last !== undefined && job.trigger.kind === "at");
      return [...jobs.values()].filter(isShown).map(view);
    },
    runs: async (id): Promise<readonly (JobRun | SkippedRuns)[]> => runsOf(id, (await open()).history()),
    change: async (id, request) => {
      const store = await open();
      const state = store.jobs.get(id);
      if (state === undefined || state.gone) return undefined;
      if (request.cron_expr !== undefined) await needCalendar();
      const { timeZone, misfire } = settings(state.job.by);
      const { createdAt: _now, ...job } = jobFrom(request, id, {
        now: clock.now(),
        timeZone,
        misfire,
        calendar: calendar(),
      });
      refuseTarget(job);
      const isOn = request.enabled ?? state.enabled;
      await store.commit(
        { type: "job.changed", job: { ...job, ...keptOf(state.job, request) } },
        ...(isOn === state.enabled ? [] : [{ type: "job.switched" as const, id, enabled: isOn }]),
      );
      changed();
      const now = store.jobs.get(id);
      return now === undefined ? undefined : view(now);
    },
    remove: async (id) => {
      const store = await open();
      if (store.jobs.get(id)?.gone !== false) return false;
      await store.commit({ type: "job.removed", id });
      return true;
    },
    setEnabled: async (id, enabled) => {
      const store = await open();
      const state = store.jobs.get(id);
      if (state === undefined || state.gone) return false;
      if (enabled) refuseTarget(state.job);
      if (state.enabled !== enabled) await store.commit({ type: "job.switched", id, enabled });
      changed();
      return true;
    },
  };
}

/** Whoever edits it; and nobody gives it more by leaving its agent out. */
function keptOf({ createdAt, by, agent, silent }: Job, request: JobRequest): Partial<Job> & Pick<Job, "createdAt"> {
  return {
    createdAt,
    ...(by !== undefined && { by }),
    ...(request.agent === undefined && agent !== undefined && { agent }),
    ...(request.silent === undefined && silent === true && { silent }),
  };
}
