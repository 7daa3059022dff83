/** Beginnings of days and months in a time zone. */
import { parseZoned, zonedClock, type Millis } from "@margay/core/internal";

/** @param offset 1: the next one. */
export function startOf(unit: "day" | "month", at: Millis, timeZone: string, offset: 0 | 1): Millis {
  const { year, month, day } = zonedClock(timeZone)(at);
  const date = new Date(
    Date.UTC(year, month - 1 + (unit === "month" ? offset : 0), unit === "month" ? 1 : day + offset),
  );
  // Midnight that a clock change skips is the first moment after it.
  return parseZoned(`${date.toISOString().slice(0, 10)}T00:00`, timeZone) ?? at;
}

export function isTimeZone(name: string): boolean {
  try {
    zonedClock(name);
    return true;
  } catch {
    return false; // that is the question
  }
}

/** Every offset of a zone is a multiple of it, so that all of it lies in the same hour. */
const QUARTER_MS = 900_000;

/** `2026-11-22` */
export function dayFormat(timeZone: string): (at: Millis) => string {
  const day = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  return perQuarter((at) => day.format(at));
}

/** `2026-11-22T09` */
export function hourFormat(timeZone: string): (at: Millis) => string {
  const day = dayFormat(timeZone);
  const hour = new Intl.DateTimeFormat("en-CA", { timeZone, hour: "2-digit", hourCycle: "h23" });
  return perQuarter((at) => `${day(at)}T${hour.format(at).padStart(2, "0")}`);
}

/** Formatting a date costs microseconds, and there are tens of thousands. */
function perQuarter(format: (at: Millis) => string): (at: Millis) => string {
  const known = new Map<number, string>();
  return (at) => {
    const quarter = Math.floor(at / QUARTER_MS);
    const text = known.get(quarter) ?? format(at);
    known.set(quarter, text);
    return text;
  };
}
