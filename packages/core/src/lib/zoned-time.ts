// Wall-clock time in an IANA zone, both ways, with nothing but Intl.
import type { Millis } from "../contract/base.ts";

export interface ZonedTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly weekday: string;
  /** Minutes east of UTC. */
  readonly offset: number;
}

/**
 * Reads instants in one zone. Keep the returned function: the first formatter of a process costs about 7 ms, any other one.
 * @param local the zone of this process, when it is known: its times are read without a formatter.
 */
export function zonedClock(timeZone: string, local?: string): (at: Millis) => ZonedTime {
  if (timeZone === local) return localTime;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "iso8601",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    weekday: "long",
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map((part) => [part.type, part.value]));
    const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
    const fields = {
      year: number("year"),
      month: number("month"),
      day: number("day"),
      hour: number("hour"),
      minute: number("minute"),
      second: number("second"),
    };
    const asUtc = utc(fields);
    return {
      ...fields,
      weekday: parts.get("weekday") ?? "",
      offset: Math.round((asUtc - Math.floor(at / 1000) * 1000) / 60_000),
    };
  };
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

function localTime(at: Millis): ZonedTime {
  const date = new Date(at);
  const fields = {
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
  };
  return {
    ...fields,
    weekday: WEEKDAYS[date.getDay()] ?? "",
    offset: Math.round((utc(fields) - Math.floor(at / 1000) * 1000) / 60_000),
  };
}

/** `2026-11-21T09:05+08:00 Saturday`. */
export function formatZoned(time: ZonedTime): string {
  const sign = time.offset < 0 ? "-" : "+";
  const offset = Math.abs(time.offset);
  const date = `${String(time.year).padStart(4, "0")}-${two(time.month)}-${two(time.day)}`;
  return `${date}T${two(time.hour)}:${two(time.minute)}${sign}${two(Math.floor(offset / 60))}:${two(offset % 60)} ${time.weekday}`;
}

/**
 * An ISO 8601 time as an instant. A time without a zone is read in `timeZone`; in the gap of a clock change it is
 * moved forward by the gap, a repeated hour is read as its first occurrence.
 * @returns undefined when `text` is not such a time.
 */
export function parseZoned(text: string, timeZone: string): Millis | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/i.exec(
    text.trim(),
  );
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = "0", fraction = "", zone] = match;
  const fields = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
  if (
    fields.month < 1 ||
    fields.month > 12 ||
    fields.day < 1 ||
    fields.day > 31 ||
    fields.hour > 24 ||
    fields.minute > 59 ||
    fields.second > 60
  )
    return undefined;
  const wall = utc(fields) + Number(fraction.padEnd(3, "0").slice(0, 3));
  if (zone === undefined) return fromWall(wall, zonedClock(timeZone));
  if (zone.toUpperCase() === "Z") return wall;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return wall - (zone.startsWith("-") ? -minutes : minutes) * 60_000;
}

function fromWall(wall: Millis, clock: (at: Millis) => ZonedTime): Millis {
  // Offsets on both sides of any change lie within a day of the naive reading.
  const offsets = [clock(wall - 86_400_000).offset, clock(wall + 86_400_000).offset];
  const candidates = offsets.map((offset) => wall - offset * 60_000).sort((a, b) => a - b);
  const exact = candidates.find((at) => clock(at).offset * 60_000 === wall - at);
  // In a gap neither fits; the offset before the gap gives the time moved forward by it.
  return exact ?? wall - (offsets[0] ?? 0) * 60_000;
}

function utc(fields: Pick<ZonedTime, "year" | "month" | "day" | "hour" | "minute" | "second">): Millis {
  return Date.UTC(fields.year, fields.month - 1, fields.day, fields.hour, fields.minute, fields.second);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
