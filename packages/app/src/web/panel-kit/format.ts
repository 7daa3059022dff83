/** Numbers, times and money as people read them, in the language of the interface. */
import { momentFormat, numberFormat } from "../lib/formats.ts";
import { c } from "../texts/panels-common.ts";
import { locale } from "../texts/panels.ts";
import { nowMs } from "./time.ts";

export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return numberFormat(locale(), options).format(value);
}

/** 12,345 → 12.3K; for tokens and counts in narrow places. */
export function short(value: number): string {
  return value < 10_000 ? number(value) : number(value, { notation: "compact", maximumFractionDigits: 1 });
}

/** `null` means that the price is not known, which is not free. */
export function money(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return c("priceUnknown");
  const digits = usd !== 0 && Math.abs(usd) < 0.01 ? 4 : 2;
  return number(usd, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export function percent(share: number): string {
  return number(share, { style: "percent", maximumFractionDigits: 0 });
}

export function bytes(count: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  let unit = 0;
  let value = count;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return number(value, {
    style: "unit",
    unit: units[unit] ?? "byte",
    unitDisplay: unit === 0 ? "long" : "short",
    maximumFractionDigits: digits,
  });
}

export function duration(ms: number): string {
  if (ms < 1000) return c("ms", { n: Math.round(ms) });
  const style = { style: "unit", unitDisplay: "short" } as const;
  if (ms < 60_000) return number(ms / 1000, { ...style, unit: "second", maximumFractionDigits: ms < 10_000 ? 1 : 0 });
  if (ms < 3_600_000) return number(ms / 60_000, { ...style, unit: "minute", maximumFractionDigits: 0 });
  if (ms < 172_800_000) return number(ms / 3_600_000, { ...style, unit: "hour", maximumFractionDigits: 1 });
  return number(ms / 86_400_000, { ...style, unit: "day", maximumFractionDigits: 0 });
}

/** Day and time; the zone is said where it matters. */
export function dateTime(ms: number, timeZone?: string): string {
  return momentFormat(locale(), {
    dateStyle: "medium",
    timeStyle: "short",
    ...(timeZone !== undefined && { timeZone }),
  }).format(ms);
}

export function timeOfDay(ms: number, seconds = false): string {
  return momentFormat(locale(), {
    hour: "2-digit",
    minute: "2-digit",
    ...(seconds && { second: "2-digit" }),
  }).format(ms);
}

const STEPS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** "in 3 hours", "5 minutes ago". */
export function relative(ms: number, now: number = nowMs()): string {
  const away = ms - now;
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: "auto" });
  for (const [unit, size] of STEPS) if (Math.abs(away) >= size) return format.format(Math.round(away / size), unit);
  return Math.abs(away) < 5_000 ? c("now") : format.format(Math.round(away / 1000), "second");
}

/** The zone of this browser. */
export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
