/** What a job must be to be stored; every refusal begins with the field it is about. */
import type { Millis } from "../contract/base.ts";
import type { Job, JobRequest, Misfire, Trigger } from "../contract/schedule.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { parseZoned, zonedClock } from "../lib/zoned-time.ts";
import type { Calendar } from "./calendar.ts";
import { firstInstant } from "./wall-clock.ts";

export interface ValidateOptions {
  readonly now: Millis;
  /** The agent's zone: used where the request names none, and then stored. */
  readonly timeZone: string;
  readonly misfire: Misfire;
  readonly calendar: Calendar;
}

/** An `at` that became past while the model was answering still fires; an older one is a mistake. */
const PAST_MS = 60_000;
const MAX_MESSAGE_CHARS = 20_000;
/** Ten years: what is longer is a unit mistaken for another. */
const MAX_EVERY_SECONDS = 315_360_000;

/** @throws RuntimeError `cron.invalid`. */
export function jobFrom(request: JobRequest, id: string, options: ValidateOptions): Job {
  const { name, message, mode = "agent", misfire = options.misfire, to } = request;
  if (typeof message !== "string" || message.trim() === "") throw invalid("message", "is required");
  if (message.length > MAX_MESSAGE_CHARS) throw invalid("message", `must be at most ${MAX_MESSAGE_CHARS} characters`);
  const trigger = triggerFrom(request, options);
  return {
    id,
    ...(name !== undefined && name !== "" && { name }),
    trigger,
    message,
    mode,
    misfire,
    to,
    ...(request.marks !== undefined && Object.keys(request.marks).length > 0 && { marks: request.marks }),
    ...(request.by !== undefined && { by: request.by }),
    ...(request.agent !== undefined && request.agent !== "" && { agent: request.agent }),
    ...(request.silent === true && { silent: true }),
    createdAt: options.now,
  };
}

function triggerFrom(request: JobRequest, options: ValidateOptions): Trigger {
  const { at, every_seconds: every, cron_expr: expression, tz } = request;
  const given = [at, every, expression].filter((value) => value !== undefined && value !== "");
  if (given.length !== 1)
    throw invalid(
      "at, every_seconds, cron_expr",
      given.length === 0 ? "are all missing: give exactly one" : "exclude each other: give exactly one",
    );
  if (tz !== undefined && !isZone(tz))
    throw invalid("tz", `must be an IANA time zone such as Europe/Berlin, not ${tz}`);
  if (every !== undefined) return everyFrom(every, tz, request.anchor ?? options.now);
  if (expression !== undefined && expression !== "") return cronFrom(expression, tz ?? options.timeZone, options);
  return atFrom(at ?? "", tz, options);
}

function everyFrom(every: number, tz: string | undefined, fromMs: Millis): Trigger {
  if (tz !== undefined) throw invalid("tz", "is only for cron_expr and for an at without a zone");
  if (!Number.isFinite(every) || every < 1 || every > MAX_EVERY_SECONDS)
    throw invalid("every_seconds", `must be from 1 to ${MAX_EVERY_SECONDS}`);
  return { kind: "every", everyMs: Math.round(every * 1000), fromMs };
}

function cronFrom(expression: string, timeZone: string, { now, calendar }: ValidateOptions): Trigger {
  let next: Millis | undefined;
  try {
    next = calendar.next(expression, timeZone, now);
  } catch (error) {
    throw invalid("cron_expr", `cannot be read: ${error instanceof Error ? error.message : "unknown"}`, error);
  }
  if (next === undefined) throw invalid("cron_expr", "has no time within the next five years");
  return { kind: "cron", expression: expression.trim(), timeZone };
}

function atFrom(at: string | number, tz: string | undefined, options: ValidateOptions): Trigger {
  const text = String(at).trim();
  const hasZone = typeof at === "number" || /^\d{10,}$/.test(text) || /(?:Z|[+-]\d\d:?\d\d)$/i.test(text.slice(10));
  if (hasZone && tz !== undefined) throw invalid("tz", "is only for cron_expr and for an at without a zone");
  const timeZone = tz ?? options.timeZone;
  const atMs = hasZone ? instantOf(text) : shownIn(text, timeZone);
  if (atMs === undefined || !Number.isSafeInteger(atMs) || Math.abs(atMs) > MAX_DATE_MS)
    throw invalid("at", "must be a time such as 2026-12-24T18:00 or epoch milliseconds");
  if (atMs < options.now - PAST_MS) throw invalid("at", `${new Date(atMs).toISOString()} is in the past`);
  return { kind: "at", atMs, timeZone };
}

/** @see ECMA-262, time values: 100,000,000 days on both sides of the epoch. */
const MAX_DATE_MS = 8.64e15;

function instantOf(text: string): Millis | undefined {
  return /^\d+$/.test(text) ? Number(text) : parseZoned(text, "UTC");
}

/** In a repeated hour the first, in a gap its end. */
function shownIn(text: string, timeZone: string): Millis | undefined {
  const wall = parseZoned(text, "UTC");
  return wall === undefined ? undefined : firstInstant(wall, zonedClock(timeZone));
}

/** `+01:00` and the like are zones to Intl, but they know no summer: IANA names have a letter first. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    zonedClock(name);
    return true;
  } catch {
    return false; // that is the question
  }
}

function invalid(field: string, reason: string, cause?: unknown): RuntimeError {
  return new RuntimeError("cron.invalid", `${field} ${reason}.`, {
    details: { field },
    ...(cause !== undefined && { cause }),
  });
}
