/** nanobot's `cron/jobs.json` as requests for jobs of ours (R236). The file is only read. */
import type { Json, JsonObject } from "../contract/base.ts";
import type { Address } from "../contract/message.ts";
import type { JobRequest } from "../contract/schedule.ts";

export interface NanobotJobs {
  readonly jobs: readonly { readonly request: JobRequest; readonly enabled: boolean }[];
  /** What could not be taken over, and why. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
}

/**
 * Whether a job can be run is asked when it is added, as for any other (CR9).
 * @param fallback The chat of jobs that name none.
 * @throws SyntaxError when the text is not JSON.
 */
export function parseNanobotJobs(text: string, fallback: Address): NanobotJobs {
  const file: Json = JSON.parse(text) as Json; // looked at below
  const rows = isObject(file) && Array.isArray(file["jobs"]) ? (file["jobs"] as readonly Json[]) : [];
  const jobs: { request: JobRequest; enabled: boolean }[] = [];
  const refused: { id: string; reason: string }[] = [];
  rows.forEach((row, index) => {
    const id = isObject(row) && typeof row["id"] === "string" && row["id"] !== "" ? row["id"] : `job ${index + 1}`;
    const request = isObject(row) ? requestOf(row, id, fallback) : "is not an object";
    if (typeof request === "string") refused.push({ id, reason: request });
    else jobs.push({ request, enabled: isObject(row) && row["enabled"] !== false });
  });
  return { jobs, refused };
}

function requestOf(row: JsonObject, id: string, fallback: Address): JobRequest | string {
  const { schedule, payload, name } = row;
  if (!isObject(schedule) || !isObject(payload)) return "has no schedule or no payload";
  const { message, channel, to } = payload;
  if (typeof message !== "string") return "has no message";
  const times = timesOf(schedule);
  if (times === undefined) return `has a schedule of an unknown kind: ${JSON.stringify(schedule["kind"] ?? null)}`;
  return {
    id,
    ...(typeof name === "string" && name !== "" && { name }),
    message,
    ...times,
    to:
      typeof channel === "string" && channel !== "" && typeof to === "string" && to !== ""
        ? { channel, chat: to }
        : fallback,
  };
}

function timesOf(schedule: JsonObject): Pick<JobRequest, "at" | "every_seconds" | "cron_expr" | "tz"> | undefined {
  const { kind, atMs, everyMs, expr, tz } = schedule;
  if (kind === "at" && typeof atMs === "number") return { at: atMs };
  if (kind === "every" && typeof everyMs === "number") return { every_seconds: everyMs / 1000 };
  if (kind !== "cron" || typeof expr !== "string") return undefined;
  return { cron_expr: expr, ...(typeof tz === "string" && tz !== "" && { tz }) };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
