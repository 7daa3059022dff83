/** Times, durations, sizes and money as people read them, in the shown language. */
import { momentFormat } from "../lib/formats.ts";
import { languageTag, number } from "./texts.ts";

const DAY = 86_400_000;

/** "14:02", "yesterday" or "3 Nov", for lists. */
export function shortTime(at: number, now = Date.now()): string {
  const days = dayNumber(now) - dayNumber(at);
  if (days === 0) return clockTime(at);
  if (days === 1) return new Intl.RelativeTimeFormat(languageTag(), { numeric: "auto" }).format(-1, "day");
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return momentFormat(languageTag(), {
    month: "short",
    day: "numeric",
    ...(!sameYear && { year: "numeric" }),
  }).format(at);
}

export function clockTime(at: number): string {
  return momentFormat(languageTag(), { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
}

/** The whole moment, for tooltips and `time` elements. */
export function fullTime(at: number): string {
  return momentFormat(languageTag(), { dateStyle: "full", timeStyle: "short" }).format(at);
}

export function dayTitle(at: number): string {
  return momentFormat(languageTag(), { weekday: "long", month: "long", day: "numeric" }).format(at);
}

/** Local days since an origin; equal numbers are the same day for the person. */
export function dayNumber(at: number): number {
  return Math.floor((at - new Date(at).getTimezoneOffset() * 60_000) / DAY);
}

/** "0.4 s", "12 s", "3 min 5 s". */
export function duration(ms: number): string {
  if (ms < 9_950) return `${number(ms / 1000, { maximumFractionDigits: 1 })} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${number(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${number(minutes)} min ${number(seconds % 60)} s`;
  return `${number(Math.floor(minutes / 60))} h ${number(minutes % 60)} min`;
}

export function bytes(count: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${number(value, { maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0 })} ${units[unit] ?? "B"}`;
}

export function tokens(count: number): string {
  return count < 10_000 ? number(count) : number(count, { notation: "compact", maximumFractionDigits: 1 });
}

/** `null` is a price nobody knows, which is not zero. */
export function money(usd: number): string {
  const digits = usd !== 0 && usd < 0.1 ? 4 : 2;
  return number(usd, { style: "currency", currency: "USD", minimumFractionDigits: 2, maximumFractionDigits: digits });
}
