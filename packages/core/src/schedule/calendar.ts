/** Cron expressions: croner parses them and counts wall-clock times, the zone and its changes are ours. */
import type { Millis } from "../contract/base.ts";
import { zonedClock, type ZonedTime } from "../lib/zoned-time.ts";
import { firstInstant, wallOf } from "./wall-clock.ts";

export interface Calendar {
  /**
   * The first due time after an instant. Undefined: none within five years.
   * @throws Error saying what is wrong with the expression or the zone.
   */
  next(expression: string, timeZone: string, after: Millis): Millis | undefined;
}

const FIVE_YEARS_MS = 5 * 366 * 86_400_000;
const FIELDS = 5;

/** Loads the parser: only a process with a job that has an expression pays for it. */
export async function loadCalendar(): Promise<Calendar> {
  const { Cron } = await import("croner");
  const parsed = new Map<string, InstanceType<typeof Cron>>();
  const zones = new Map<string, (at: Millis) => ZonedTime>();
  const parse = (expression: string): InstanceType<typeof Cron> => {
    const known = parsed.get(expression);
    if (known !== undefined) return known;
    const fields = expression.trim().split(/\s+/);
    if (fields.length !== FIELDS) throw new Error(`must have five fields, not ${fields.length}`);
    // To the parser `?` means the field of the moment it is parsed: the job would change with each start.
    if (expression.includes("?")) throw new Error("must not contain ?");
    const made = new Cron(fields.join(" "), { timezone: "UTC", mode: "5-part", paused: true });
    parsed.set(expression, made);
    return made;
  };
  const zoneOf = (name: string): ((at: Millis) => ZonedTime) => {
    const known = zones.get(name);
    if (known !== undefined) return known;
    const made = zonedClock(name);
    zones.set(name, made);
    return made;
  };
  return {
    next: (expression, timeZone, after) => {
      const cron = parse(expression);
      const zone = zoneOf(timeZone);
      // In a repeated hour the next times shown are past already: they were due when they were first shown.
      for (let wall = wallOf(after, zone); ;) {
        const shown = cron.nextRun(new Date(wall));
        if (shown === null || shown.getTime() - wall > FIVE_YEARS_MS) return undefined;
        wall = shown.getTime();
        const at = firstInstant(wall, zone);
        if (at > after) return at - after > FIVE_YEARS_MS ? undefined : at;
      }
    },
  };
}
