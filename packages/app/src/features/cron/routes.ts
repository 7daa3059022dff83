/** Jobs: list, build, change, run, and what became of their runs. */
import { formatZoned, zonedClock, zoneOf } from "@margay/core/internal";
import type { CronService } from "@margay/core";
import type { JobView } from "@margay/core/internal";
import { refusedByField, requestOf, validated } from "./job-request.ts";
import { hashOf, jobView, runningView, runView, skippedView } from "./job-view.ts";
import { askedFor, jobsFor } from "./own-jobs.ts";
import { calendarFor, timesUntil } from "./times.ts";
import { timeZoneOf } from "../../config/load.ts";
import { requireMatch, tagged, tagOf } from "../../host/api/etag.ts";
import { pageOf, timeKey } from "../../host/api/paging.ts";
import { Problem } from "../../host/api/problem.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { createWriteQueue } from "../../host/api/write-queue.ts";
import { personOf } from "../../host/sessions/access.ts";
import { PageQuery } from "../../protocol/common.ts";
import {
  JobBody,
  JobPage,
  JobSchema,
  RunPage,
  RunSchema,
  UpcomingList,
  UpcomingQuery,
  ValidateBody,
  ValidateResult,
} from "./schema.ts";
import { words } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

type AnyCall = Pick<Call<unknown, unknown>, "services" | "params" | "language" | "credential">;

export const CRON_ROUTES: readonly Route[] = [
  route({
    id: "listJobs",
    method: "GET",
    path: "/cron/jobs",
    scope: "read",
    ofPersons: true,
    summary: "Jobs that are still due some time, the newest first.",
    query: PageQuery,
    response: JobPage,
    handle: async (call) => {
      const { items, next } = pageOf(await jobsFor(call), call.query, (job) => timeKey(job.createdAt, job.id));
      return { body: { items: await Promise.all(items.map((job) => jobView(job, call))), next } };
    },
  }),
  route({
    id: "addJob",
    method: "POST",
    path: "/cron/jobs",
    scope: "admin",
    ofPersons: true,
    summary: "Adds a job; its times must lie ahead and its target names a chat.",
    body: JobBody,
    status: 201,
    response: JobSchema,
    errors: ["cron.invalid"],
    handle: async (call) => {
      // One after the other: how many there are is counted first.
      const job = await call.services.once(createWriteQueue)(async () => {
        const request = await askedFor(call, { ...requestOf(call.body), id: call.newId("job") });
        return refusedByField(() => cronOf(call).add(request));
      });
      return { body: await jobView(job, call), headers: { etag: tagOf(hashOf(job)) } };
    },
  }),
  route({
    id: "readJob",
    method: "GET",
    path: "/cron/jobs/{id}",
    scope: "read",
    ofPersons: true,
    summary: "One job.",
    response: JobSchema,
    errors: ["cron.not-found"],
    handle: async (call) => {
      const job = await jobOf(call);
      return tagged(call.headers, hashOf(job), await jobView(job, call));
    },
  }),
  route({
    id: "changeJob",
    method: "PUT",
    path: "/cron/jobs/{id}",
    scope: "admin",
    ofPersons: true,
    summary: "Replaces what a job does and when; its history stays.",
    body: JobBody,
    response: JobSchema,
    errors: ["cron.not-found", "cron.invalid", "precondition.required", "precondition.failed"],
    handle: async (call) => {
      const before = await jobOf(call);
      requireMatch(call.headers, hashOf(before));
      const request = await askedFor(call, requestOf(call.body), before);
      const job = await refusedByField(() => cronOf(call).change(before.id, request));
      if (job === undefined) throw unknownJob(call);
      return { body: await jobView(job, call), headers: { etag: tagOf(hashOf(job)) } };
    },
  }),
  route({
    id: "removeJob",
    method: "DELETE",
    path: "/cron/jobs/{id}",
    scope: "admin",
    ofPersons: true,
    summary: "Removes a job; a run in hand ends, and its history stays.",
    status: 204,
    errors: ["cron.not-found", "precondition.required", "precondition.failed"],
    handle: async (call) => {
      const job = await jobOf(call);
      requireMatch(call.headers, hashOf(job));
      if (!(await cronOf(call).remove(job.id))) throw unknownJob(call);
      return {};
    },
  }),
  route({
    id: "validateTrigger",
    method: "POST",
    path: "/cron/validate",
    scope: "read",
    ofPersons: true,
    summary: "The next five times of a trigger and the trigger in words, or what is wrong with it.",
    body: ValidateBody,
    response: ValidateResult,
    handle: async (call) => ({ body: await validated(call.body.trigger, call) }),
  }),
  route({
    id: "runJob",
    method: "POST",
    path: "/cron/jobs/{id}/run",
    scope: "admin",
    ofPersons: true,
    summary: "Runs a job once, now: a due time of its own that moves nothing.",
    status: 202,
    runs: true,
    response: RunSchema,
    errors: ["cron.not-found", "cron.running", "system.estopped"],
    handle: async (call) => {
      const job = await jobOf(call);
      const ran = runSince(call.begunAt, job);
      if (ran !== undefined)
        return { body: await ("status" in ran ? runView(job, ran, call) : runningView(job, ran, call)) };
      // Not the signal of this request: the run goes on when the browser is gone.
      const begun = await cronOf(call).begin(job.id, call.services.closing);
      if (begun === "unknown") throw unknownJob(call);
      if (begun === "running")
        throw new Problem("cron.running", words(call.language, TEXT.jobRunningAlready, { id: job.id }));
      begun.ended.catch(() => {}); // the journal and the log have it
      return { body: await runningView(job, { ...begun, manual: true }, call) };
    },
  }),
  ...(["pause", "resume"] as const).map((verb) =>
    route({
      id: `${verb}Job`,
      method: "POST",
      path: `/cron/jobs/{id}/${verb}`,
      scope: "admin",
      ofPersons: true,
      summary: verb === "pause" ? "Keeps a job but does not run it." : "Lets a job run again.",
      response: JobSchema,
      errors: ["cron.not-found", "cron.invalid"],
      handle: async (call) => {
        const { id } = await jobOf(call);
        await refusedByField(() => cronOf(call).setEnabled(id, verb === "resume"));
        const job = await jobOf(call);
        return { body: await jobView(job, call), headers: { etag: tagOf(hashOf(job)) } };
      },
    }),
  ),
  route({
    id: "listRuns",
    method: "GET",
    path: "/cron/jobs/{id}/runs",
    scope: "read",
    ofPersons: true,
    summary: "What became of a job's due times, the newest first; also of a job that is gone.",
    query: PageQuery,
    response: RunPage,
    errors: ["cron.not-found"],
    handle: async (call) => {
      const { query } = call;
      const { id = "" } = call.params;
      const job = (await jobsFor(call)).find((one) => one.id === id);
      // Of one that is gone nobody knows whose it was.
      if (job === undefined && personOf(call) !== undefined) throw unknownJob(call);
      const runs = await cronOf(call).runs(id);
      if (runs.length === 0 && job === undefined) throw unknownJob(call);
      const { items, next } = pageOf(runs, query, (run) => ("reason" in run ? timeKey(run.last) : timeKey(run.due)));
      // A job that is gone can no longer say its mode: its runs had a turn, or they had none.
      const about = { id, mode: job?.mode ?? ("agent" as const) };
      const shown = items.map((run) => ("reason" in run ? skippedView(run) : runView(about, run, call)));
      const current = query.cursor === undefined && job?.run !== undefined ? [runningView(about, job.run, call)] : [];
      return { body: { items: await Promise.all([...current, ...shown]), next } };
    },
  }),
  route({
    id: "upcomingRuns",
    method: "GET",
    path: "/cron/upcoming",
    scope: "read",
    ofPersons: true,
    summary: "The coming times of all jobs, the next first; seven days unless `to` says otherwise.",
    query: UpcomingQuery,
    response: UpcomingList,
    handle: async (call) => {
      const { query } = call;
      const { app } = call.services;
      const jobs = (await jobsFor(call)).filter((job) => job.enabled && job.invalid === undefined);
      const now = app.clock.now();
      const to = query.to ?? now + WEEK_MS;
      const calendar = await calendarFor(jobs.map((job) => job.trigger));
      const zone = timeZoneOf(app.inside.loaded(), personOf(call));
      const items = jobs.flatMap(({ id, name, trigger, nextAt }) => {
        const clock = zonedClock(zoneOf({ trigger }, zone));
        const label = name === undefined ? {} : { name };
        const after = Math.max(now, (nextAt ?? 0) - 1);
        return timesUntil(trigger, { after, count: query.limit, until: to }, calendar).map((at) => ({
          job: id,
          at,
          local: formatZoned(clock(at)),
          ...label,
        }));
      });
      return {
        body: {
          items: items.toSorted((a, b) => a.at - b.at).slice(0, query.limit),
          paused: app.schedule.cron === undefined || app.schedule.waits,
        },
      };
    },
  }),
];

const WEEK_MS = 7 * 86_400_000;

function cronOf({ services, language }: AnyCall): CronService {
  const { cron } = services.app.schedule;
  if (cron !== undefined) return cron;
  throw new Problem("cron.invalid", {
    detail: words(language, TEXT.jobsSwitchedOff),
    remedy: words(language, TEXT.setCronEnabled),
  });
}

async function jobOf(call: AnyCall): Promise<JobView> {
  const { id } = call.params;
  const job = (await jobsFor(call)).find((one) => one.id === id);
  if (job === undefined) throw unknownJob(call);
  return job;
}

/** What an attempt began of which nobody was told. */
function runSince(begunAt: number | undefined, { run, last }: JobView): JobView["run"] | JobView["last"] {
  return begunAt === undefined
    ? undefined
    : [run, last].find((one) => one?.manual === true && one.startedAt >= begunAt);
}

function unknownJob({ params, language }: AnyCall): Problem {
  const { id = "" } = params;
  return new Problem("cron.not-found", words(language, TEXT.noJob, { id }));
}
