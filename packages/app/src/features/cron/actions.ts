/** What `margay cron` asks for. */
import { z } from "zod";
import { hasCode, type ContentPart, type CronService, type RuntimeError } from "@margay/core";
import type { JobRequest, JobRun, JobView, SkippedRuns } from "@margay/core/internal";
import { operation } from "../../host/control/operation.ts";
import { AddressSchema } from "../../protocol/common.ts";

type CronAction =
  | { readonly do: "list" }
  | { readonly do: "add"; readonly request: JobRequest }
  | { readonly do: "remove" | "enable" | "disable" | "run" | "runs"; readonly id: string };

export type CronAnswer =
  | { readonly jobs: readonly JobView[] }
  | { readonly job: JobView }
  | { readonly runs: readonly (JobRun | SkippedRuns)[] }
  | { readonly run: JobRun }
  | { readonly status: "done" | "unknown" | "running" | "started" | "off" };

/** @param wait False: a run is started and not waited for. */
async function performCron(
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

const Request = z.strictObject({
  message: z.string(),
  to: AddressSchema,
  every_seconds: z.number().optional(),
  cron_expr: z.string().optional(),
  at: z.union([z.string(), z.number()]).optional(),
  tz: z.string().optional(),
  name: z.string().optional(),
  agent: z.string().max(32).optional(),
  silent: z.boolean().optional(),
  misfire: z.enum(["skip", "latest_once", "all"]).optional(),
  mode: z.enum(["agent", "deliver"]).optional(),
});
const Action = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("list") }),
  z.strictObject({ do: z.literal("add"), request: Request }),
  ...(["remove", "enable", "disable", "run", "runs"] as const).map((verb) =>
    z.strictObject({ do: z.literal(verb), id: z.string() }),
  ),
]);

export const CRON_OPERATIONS = {
  /** Alone a run is waited for, with what it says to the terminal; elsewhere it goes on by itself. */
  cron: operation(
    Action,
    async (action, { app, alone, signal }): Promise<CronAnswer & { readonly said?: readonly string[] }> => {
      const said: string[] = [];
      const detach = alone ? app.terminal.attach(({ parts }) => said.push(textOf(parts))) : undefined;
      const answer = await performCron(action as CronAction, app.schedule.cron, { wait: alone, signal }); // optional fields may be undefined there
      if (alone && action.do === "run") await app.agent.idle();
      detach?.();
      return said.length === 0 ? answer : { ...answer, said };
    },
  ),
} as const;

function textOf(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export function isInvalidJob(error: unknown): error is RuntimeError {
  return hasCode(error, "cron.invalid");
}
