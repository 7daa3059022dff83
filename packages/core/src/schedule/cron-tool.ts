// `cron`: jobs for the chat it is called in. Two spellings of its arguments are taken, one is advertised.
import type { Json, JsonObject } from "../contract/base.ts";
import type { PersonId } from "../contract/people.ts";
import type { CronService, JobMode, JobView, Misfire } from "../contract/schedule.ts";
import type { Tool, ToolContext, ToolResult } from "../contract/tool.ts";
import { hasCode } from "../lib/errors/errors.ts";
import { jobLine, timeText, triggerText, zoneOf } from "./words.ts";
import { marksOf } from "../lib/labels.ts";
import { sha256 } from "../machine/system/hash.ts";
import { defineTool, parameterError, toolError } from "../tools/define.ts";
import { isJsonObject, objectSchema } from "../tools/schema.ts";

export interface CronToolOptions {
  readonly cron: Pick<CronService, "add" | "list" | "remove">;
  /** In which times of jobs without a zone of their own are told. */
  readonly timeZone: () => string;
  /** Whose jobs it shows and changes. Default: the owner's. */
  readonly person?: PersonId;
  /** That its jobs work with: what is made with less does not run with more. Default: as the bindings say. */
  readonly agent?: string;
}

interface CronInput {
  readonly action: "add" | "list" | "remove";
  readonly message?: string;
  readonly every_seconds?: number;
  readonly cron_expr?: string;
  readonly tz?: string;
  readonly at?: string;
  readonly job_id?: string;
  readonly mode?: JobMode;
  readonly misfire?: Misfire;
}

const MAX_JOBS = 50;
/** Of a person beside the owner. */
export const MAX_JOBS_OF_PERSON = 20;
const ID_CHARS = 8;

export function cronTool(options: CronToolOptions): Tool {
  return defineTool<CronInput>({
    name: "cron",
    description:
      "Schedules a reminder or task for this chat; its result is sent here. add needs message and one of at, every_seconds, cron_expr. Not for waiting here. Returns job id and next run.",
    input: objectSchema<CronInput>(
      {
        properties: {
          action: { type: "string", enum: ["add", "list", "remove"] },
          message: { type: "string", description: "The task, or text to deliver." },
          every_seconds: { type: "number", minimum: 1 },
          cron_expr: { type: "string", description: "0 9 * * MON-FRI" },
          tz: { type: "string", description: "IANA zone; default: the person's." },
          at: { type: "string", description: "2026-12-24T18:00" },
          job_id: { type: "string" },
          mode: { type: "string", enum: ["agent", "deliver"], description: "deliver: sent as it is, not run." },
          misfire: {
            type: "string",
            enum: ["skip", "latest_once", "all"],
            description: "For missed runs.",
          },
        },
        required: ["action"],
      },
      { normalize },
    ),
    effect: "idempotent",
    execute: (input, context) => perform(input, context, options),
  });
}

async function perform(input: CronInput, context: ToolContext, options: CronToolOptions): Promise<ToolResult> {
  const { cron, timeZone } = options;
  switch (input.action) {
    case "add":
      return add(input, context, options);
    case "list": {
      const jobs = await jobsOf(options);
      return jobs.length === 0 ? "No jobs." : jobs.map((job) => jobLine(job, timeZone())).join("\n");
    }
    case "remove": {
      const { job_id: id } = input;
      if (id === undefined || id === "") return parameterError("job_id is required to remove a job");
      const isTheirs = (await jobsOf(options)).some((job) => job.id === id);
      return isTheirs && (await cron.remove(id)) ? `Removed job ${id}.` : toolError(`no job ${id}`, "list the jobs");
    }
  }
}

/** Nobody else's are there. */
async function jobsOf({ cron, person }: CronToolOptions): Promise<readonly JobView[]> {
  return (await cron.list()).filter(({ by }) => by === person);
}

async function add(input: CronInput, context: ToolContext, options: CronToolOptions): Promise<ToolResult> {
  const { cron, timeZone, person, agent } = options;
  const { action: _action, job_id: _id, message = "", ...request } = input;
  // A person may have more; a model that was told to fill the calendar may not.
  const id = sha256(`${context.sessionId}\n${context.callId}`).slice(0, ID_CHARS);
  const jobs = await jobsOf(options);
  const most = person === undefined ? MAX_JOBS : MAX_JOBS_OF_PERSON;
  if (jobs.length >= most && !jobs.some((job) => job.id === id))
    return toolError(`there are ${most} jobs already`, "remove one first");
  try {
    const job = await cron.add({
      ...request,
      message,
      // The call that is run again after a crash names the same job.
      id,
      to: context.origin,
      marks: marksOf(context.label),
      ...(person !== undefined && { by: person }),
      ...(agent !== undefined && { agent }),
    });
    const next = job.nextAt === undefined ? "no next run" : `next run ${timeText(job.nextAt, zoneOf(job, timeZone()))}`;
    return `Added job ${job.id}: ${triggerText(job.trigger)}; ${next}.`;
  } catch (error) {
    if (hasCode(error, "cron.invalid")) return parameterError(error.message.replace(/\.$/, ""));
    throw error;
  }
}

/** Spelling that is not advertised → the field it means; inside `schedule` also `kind`, which says nothing more. */
const OUTER: Readonly<Record<string, string>> = { task: "message", id: "job_id" };
const INNER: Readonly<Record<string, string>> = {
  at: "at",
  atMs: "at",
  every_seconds: "every_seconds",
  everyMs: "every_seconds",
  expr: "cron_expr",
  cron_expr: "cron_expr",
  tz: "tz",
};

/** Both spellings give the same job; the same field with two values is refused. */
function normalize(input: JsonObject): JsonObject | readonly string[] {
  const { schedule, ...rest } = input;
  if (schedule !== undefined && !isJsonObject(schedule)) return ["schedule must be an object"];
  const entries: (readonly [name: string, field: string, value: Json])[] = Object.entries(rest).map(([name, value]) => [
    name,
    OUTER[name] ?? name,
    value,
  ]);
  for (const [name, value] of Object.entries(schedule ?? {})) {
    const field = INNER[name];
    if (field === undefined && name !== "kind") return [`schedule.${name} is not known`];
    if (field !== undefined && value !== null)
      entries.push([`schedule.${name}`, field, name === "everyMs" && typeof value === "number" ? value / 1000 : value]);
  }
  const out: Record<string, Json> = {};
  const names = new Map<string, string>();
  for (const [name, field, given] of entries) {
    const value = field === "at" && typeof given === "number" ? String(given) : given;
    const other = names.get(field);
    if (other !== undefined && out[field] !== value) return [`${other} and ${name} differ: give one of them`];
    names.set(field, other ?? name);
    out[field] = value;
  }
  return out;
}
