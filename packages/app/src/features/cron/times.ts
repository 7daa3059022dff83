/** Coming times of a trigger, and what a person should know about them before it is saved. */
import { formatZoned, loadCalendar, zonedClock, type Calendar, type Millis, type Trigger } from "@margay/core/internal";

export interface ComingTime {
  readonly at: Millis;
  /** In the trigger's zone, with its offset. */
  readonly local: string;
  /** `dst-gap`: the time shown does not exist that day. `dst-overlap`: it is shown twice, and this is the first. */
  readonly note?: "dst-gap" | "dst-overlap";
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTES_A_DAY = 1440;

export async function calendarFor(triggers: readonly Trigger[]): Promise<Calendar | undefined> {
  return triggers.some((trigger) => trigger.kind === "cron") ? loadCalendar() : undefined;
}

function* timesOf(trigger: Trigger, after: Millis, calendar: Calendar | undefined): Generator<Millis> {
  if (trigger.kind === "at") {
    if (trigger.atMs > after) yield trigger.atMs;
    return;
  }
  if (trigger.kind === "every") {
    const { everyMs, fromMs } = trigger;
    for (let k = Math.max(1, Math.floor((after - fromMs) / everyMs) + 1); ; k++) yield fromMs + k * everyMs;
  }
  for (
    let at = calendar?.next(trigger.expression, trigger.timeZone, after);
    at !== undefined;
    at = calendar?.next(trigger.expression, trigger.timeZone, at)
  )
    yield at;
}

/** The first times of a trigger. @param calendar Needed for expressions only. */
export function timesUntil(
  trigger: Trigger,
  { after, count, until }: { readonly after: Millis; readonly count: number; readonly until: Millis },
  calendar: Calendar | undefined,
): readonly Millis[] {
  const found: Millis[] = [];
  for (const at of timesOf(trigger, after, calendar)) {
    if (at > until || found.length >= count) break;
    found.push(at);
  }
  return found;
}

export function comingTimes(
  trigger: Trigger,
  {
    now,
    count,
    timeZone,
    calendar,
  }: {
    readonly now: Millis;
    readonly count: number;
    /** For an interval, which has none of its own. */
    readonly timeZone: string;
    readonly calendar: Calendar | undefined;
  },
): readonly ComingTime[] {
  const zone = trigger.kind === "every" ? timeZone : trigger.timeZone;
  const clock = zonedClock(zone);
  return timesUntil(trigger, { after: now, count, until: Number.POSITIVE_INFINITY }, calendar).map((at): ComingTime => {
    const note = trigger.kind === "cron" ? noteOf(trigger, at, clock, calendar) : undefined;
    return { at, local: formatZoned(clock(at)), ...(note !== undefined && { note }) };
  });
}

function noteOf(
  trigger: Extract<Trigger, { kind: "cron" }>,
  at: Millis,
  clock: ReturnType<typeof zonedClock>,
  calendar: Calendar | undefined,
): ComingTime["note"] {
  const { offset } = clock(at);
  const wall = at + offset * 60_000;
  // What is shown is not what the expression says: the clock jumped over it.
  if (calendar?.next(trigger.expression, "UTC", wall - 1) !== wall) return "dst-gap";
  const later = clock(at + 2 * HOUR_MS).offset;
  // Set back soon after: the same time comes again.
  return later < offset && clock(at + (offset - later) * 60_000).offset === later ? "dst-overlap" : undefined;
}

/** How often in the next 24 hours. */
export function perDay(trigger: Trigger, now: Millis, calendar: Calendar | undefined): number {
  if (trigger.kind === "every") return Math.round((DAY_MS / trigger.everyMs) * 100) / 100;
  return timesUntil(trigger, { after: now, count: MINUTES_A_DAY, until: now + DAY_MS }, calendar).length;
}

/** Where an expression goes wrong: the place of the first field that cannot be read alone, from 0. */
export function faultPosition(expression: string, calendar: Calendar): number {
  const fields = [...expression.matchAll(/\S+/g)];
  if (fields.length > 5) return fields[5]?.index ?? 0;
  if (fields.length < 5) return expression.length;
  const wrong = fields.find((_field, index) => {
    const alone = fields.map((field, other) => (other === index ? field[0] : "*")).join(" ");
    try {
      calendar.next(alone, "UTC", 0);
      return false;
    } catch {
      return true; // that is the question
    }
  });
  return wrong?.index ?? 0;
}
