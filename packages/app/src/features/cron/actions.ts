/** What `margay cron` does to the jobs: by itself, or in the process that holds the lock. Everything is JSON on the way. */
import { never } from "@margay/core/internal";
import { hasCode, type CronService, type Json, type JsonObject, type RuntimeError } from "@margay/core";
import type { JobRequest, JobRun, JobView, SkippedRuns } from "@margay/core/internal";
import { answering, type AnswerError } from "../../host/control/ask-holder.ts";

export type CronAction =
  | { readonly do: "list" }
  | { readonly do: "add"; readonly request: JobRequest }
  | { readonly do: "remove" | "enable" | "disable" | "run" | "runs"; readonly id: string };

export type CronAnswer =
  | { readonly jobs: readonly JobView[] }
  | { readonly job: JobView }
  | { readonly runs: readonly (JobRun | SkippedRuns)[] }
  | { readonly run: JobRun }
  | { readonly status: "done" | "unknown" | "running" | "started" | "off" }
  | AnswerError;

/** @param wait False: a run is started and not waited for. */
export async function performCron(
  action: CronAction,
  cron: CronService | undefined,
  { wait, signal }: { readonly wait: boolean; readonly signal: AbortSignal },
): Promise<CronAnswer> {
  if (cron === undefined) return { status: "off" };
  switch (action.do) {
    case "list":
      return { jobs: await cron.list() };
    case "add":
      return { job: await cron.add(action.request) };
    case "remove":
      return { status: (await cron.remove(action.id)) ? "done" : "unknown" };
    case "enable":
    case "disable":
      return { status: (await cron.setEnabled(action.id, action.do === "enable")) ? "done" : "unknown" };
    case "runs":
      return { runs: await cron.runs(action.id) };
    case "run":
      return run(action.id, cron, wait, signal);
  }
}

async function run(id: string, cron: CronService, wait: boolean, signal: AbortSignal): Promise<CronAnswer> {
  const running = cron.runNow(id, signal);
  if (!wait) {
    const job = (await cron.list()).find((each) => each.id === id);
    if (job === undefined) return { status: "unknown" };
    running.catch(() => {}); // the journal and the log have it
    return { status: "started" };
  }
  const ended = await running;
  return typeof ended === "string" ? { status: ended } : { run: ended };
}

/** For another process. */
export function answerCron(action: JsonObject, cron: CronService | undefined): Promise<Json> {
  return answering(() =>
    // written by cron.ts of the same version
    performCron(action as unknown as CronAction, cron, { wait: false, signal: never() }),
  );
}

export function isInvalidJob(error: unknown): error is RuntimeError {
  return hasCode(error, "cron.invalid");
}
