/** Jobs in words: what the model and people read about them. */
import type { Millis } from "../contract/base.ts";
import type { JobView, Trigger } from "../contract/schedule.ts";
import { zonedClock } from "../lib/zoned-time.ts";

/** `2026-11-23 09:00:00 Europe/Berlin`. */
export function timeText(at: Millis, timeZone: string): string {
  const { year, month, day, hour, minute, second } = zonedClock(timeZone)(at);
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)} ${timeZone}`;
}

export function triggerText(trigger: Trigger): string {
  switch (trigger.kind) {
    case "at":
      return `once at ${timeText(trigger.atMs, trigger.timeZone)}`;
    case "every":
      return `every ${durationText(trigger.everyMs)}`;
    case "cron":
      return `cron ${trigger.expression} (${trigger.timeZone})`;
  }
}

/** `90 seconds`, `2 hours`: the largest unit that leaves nothing over. */
function durationText(ms: Millis): string {
  for (const [unit, size] of UNITS) if (ms % size === 0) return ms === size ? unit : `${ms / size} ${unit}s`;
  return `${ms / 1000} seconds`;
}
const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** The zone a job's times are told in: its own, else the agent's. */
export function zoneOf({ trigger }: Pick<JobView, "trigger">, timeZone: string): string {
  return trigger.kind === "every" ? timeZone : trigger.timeZone;
}

/** One line: id, schedule, mode, next run, last status. */
export function jobLine(job: JobView, timeZone: string): string {
  const zone = zoneOf(job, timeZone);
  const mode = job.agent === undefined ? job.mode : `${job.mode} ${job.agent}`;
  return `${job.id}: ${triggerText(job.trigger)}, ${mode}, ${nextText(job, zone)}, ${lastText(job, zone)}`;
}

export function nextText(job: JobView, timeZone: string): string {
  if (job.invalid !== undefined) return `invalid: ${job.invalid}`;
  if (!job.enabled) return "disabled";
  if (job.nextAt !== undefined) return `next ${timeText(job.nextAt, timeZone)}`;
  return job.running ? "running" : "no next run";
}

function lastText({ last, skipped }: JobView, timeZone: string): string {
  if (last === undefined) return skipped === undefined ? "never run" : `skipped ${timeText(skipped.last, timeZone)}`;
  return `last ${last.status} ${timeText(last.startedAt, timeZone)}${last.error === undefined ? "" : ` (${last.error})`}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
