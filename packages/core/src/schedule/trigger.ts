/** When a job is due. Pure: equal trigger, equal times, whoever asks when. */
import type { Millis } from "../contract/base.ts";
import type { Trigger } from "../contract/schedule.ts";
import type { Calendar } from "./calendar.ts";

/**
 * The first due time after an instant.
 * @throws Error when an expression or zone means nothing here.
 */
export function nextDue(trigger: Trigger, after: Millis, calendar: Calendar): Millis | undefined {
  switch (trigger.kind) {
    case "at":
      return trigger.atMs > after ? trigger.atMs : undefined;
    case "every":
      return trigger.fromMs + Math.max(1, Math.floor((after - trigger.fromMs) / trigger.everyMs) + 1) * trigger.everyMs;
    case "cron":
      return calendar.next(trigger.expression, trigger.timeZone, after);
  }
}

const HOUR_MS = 3_600_000;
/** How far back to look for the last few, the nearest first: a day of minutes is a few thousand steps. */
const SPANS_MS = [HOUR_MS, 24 * HOUR_MS, 32 * 24 * HOUR_MS, 400 * 24 * HOUR_MS];

/** The last `count` due times after `after` and up to `until`, in order. */
export function lastDues(
  trigger: Trigger,
  after: Millis,
  until: Millis,
  count: number,
  calendar: Calendar,
): readonly Millis[] {
  if (trigger.kind === "every") {
    const last = Math.floor((until - trigger.fromMs) / trigger.everyMs);
    const first = Math.max(1, Math.floor((after - trigger.fromMs) / trigger.everyMs) + 1, last - count + 1);
    return Array.from(
      { length: Math.max(0, last - first + 1) },
      (_, k) => trigger.fromMs + (first + k) * trigger.everyMs,
    );
  }
  for (const span of SPANS_MS) {
    const found = duesBetween(trigger, Math.max(after, until - span), until, calendar);
    if (found.length >= count) return found.slice(-count);
  }
  return duesBetween(trigger, after, until, calendar).slice(-count);
}

function duesBetween(trigger: Trigger, after: Millis, until: Millis, calendar: Calendar): readonly Millis[] {
  const found: Millis[] = [];
  for (
    let due = nextDue(trigger, after, calendar);
    due !== undefined && due <= until;
    due = nextDue(trigger, due, calendar)
  )
    found.push(due);
  return found;
}
