// `cron/jobs.json` of nanobot, which is also the form of our own view of the jobs (R236); OpenClaw's differs in a few words.
import type { JobRequest, JsonObject } from "@margay/core";
import { isObject, listOf, objectOf, parseJson, textOf } from "./json.ts";
import type { Source } from "./source.ts";

export function nanobotJobs(found: Source, from: string, text: string): void {
  const parsed = parseJson(text);
  const rows = isObject(parsed) ? parsed["jobs"] : parsed;
  if (!Array.isArray(rows)) {
    const reason = { key: "import.why.unreadable", values: { why: "jobs" } } as const;
    found.skipped.push({ area: "job", from, reason });
    return;
  }
  listOf(rows).forEach((row, index) => {
    const job = objectOf(row);
    const id = textOf(job["id"]) ?? String(index + 1);
    const place = `${from} ${id}`;
    const request = requestOf(job, `${found.kind}-${id}`);
    if (typeof request === "string")
      found.skipped.push({ area: "job", from: place, reason: { key: "import.why.job", values: { why: request } } });
    else found.jobs.push({ from: place, request });
  });
}

/** @returns what is missing, when something is. */
function requestOf(job: JsonObject, id: string): (JobRequest & { readonly id: string }) | string {
  const schedule = objectOf(job["schedule"]);
  const payload = objectOf(job["payload"]);
  const name = textOf(job["name"]);
  const message = textOf(payload["message"]) ?? textOf(payload["text"]);
  const delivery = objectOf(job["delivery"]);
  const chat = textOf(payload["to"]) ?? textOf(delivery["to"]);
  // Without a chat of its own there is nobody to send to but the terminal.
  const channel = chat === undefined ? "cli" : (textOf(payload["channel"]) ?? textOf(delivery["channel"]) ?? "cli");
  if (message === undefined) return "message";
  const time = timeOf(schedule);
  if (time === undefined) return `schedule ${JSON.stringify(schedule)}`;
  const mode = payload["mode"];
  const misfire = job["misfire"];
  return {
    id,
    ...(name !== undefined && { name }),
    message,
    ...time,
    ...((mode === "agent" || mode === "deliver") && { mode }),
    ...((misfire === "skip" || misfire === "latest_once" || misfire === "all") && { misfire }),
    ...(job["enabled"] === false && { enabled: false }),
    to: { channel, chat: chat ?? "direct" },
  };
}

function timeOf(schedule: JsonObject): Partial<JobRequest> | undefined {
  const number = (camel: string, snake: string): number | undefined => {
    const value = schedule[camel] ?? schedule[snake];
    return typeof value === "number" ? value : undefined;
  };
  const atMs = number("atMs", "at_ms");
  const everyMs = number("everyMs", "every_ms");
  const expression = textOf(schedule["expr"]);
  const tz = textOf(schedule["tz"]);
  const at = atMs ?? textOf(schedule["at"]);
  if (schedule["kind"] === "at" && at !== undefined) return { at };
  if (schedule["kind"] === "every" && everyMs !== undefined) return { every_seconds: everyMs / 1000 };
  if (schedule["kind"] === "cron" && expression !== undefined)
    return { cron_expr: expression, ...(tz !== undefined && { tz }) };
  return undefined;
}
