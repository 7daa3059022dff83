/** The days of a chart: each one, also those on which nothing was spent; what is drawn is money where a price is known. */
import type { z } from "zod";
import type { UsageResult } from "../schema.ts";
import type { Series } from "../../../web/ui/chart.tsx";

type Usage = z.infer<typeof UsageResult>;
type Part = NonNullable<Usage["rows"][number]["parts"]>[number];

export interface Days {
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** What the values are. */
  readonly unit: "usd" | "tokens";
}

/** More than these lie together. */
const SERIES = 5;

/**
 * @param first Of the days shown, as `2026-11-22`; undefined: the first on which anything was spent.
 * @param nameOf What a part is counted as.
 */
export function daysOf({ rows, total }: Usage, { first, last, nameOf, others }: DaysOptions): Days {
  const unit = total.costUsd !== null && total.costUsd > 0 ? "usd" : "tokens";
  const valueOf = (part: Part): number => (unit === "usd" ? (part.costUsd ?? 0) : part.input + part.output);
  const days = between(first ?? rows.map(({ key }) => key).toSorted()[0] ?? last, last);
  const sums = new Map<string, Map<string, number>>();
  for (const { key: day, parts = [] } of rows)
    for (const part of parts) {
      const name = nameOf(part.key);
      const byDay = sums.get(name) ?? new Map<string, number>();
      byDay.set(day, (byDay.get(day) ?? 0) + valueOf(part));
      sums.set(name, byDay);
    }
  const ordered = [...sums].toSorted(([, a], [, b]) => sumOf(b) - sumOf(a));
  const kept = ordered.length > SERIES ? ordered.slice(0, SERIES - 1) : ordered;
  const rest = ordered.slice(kept.length);
  const drawn: (readonly [string, (day: string) => number])[] = kept.map(([name, byDay]) => [
    name,
    (day) => byDay.get(day) ?? 0,
  ]);
  if (rest.length > 0) drawn.push([others, (day) => rest.reduce((sum, [, byDay]) => sum + (byDay.get(day) ?? 0), 0)]);
  return { days, unit, series: drawn.map(([name, at]) => ({ name, values: days.map(at) })) };
}

interface DaysOptions {
  readonly first: string | undefined;
  readonly last: string;
  readonly nameOf: (key: string) => string;
  /** What the small ones together are called. */
  readonly others: string;
}

function sumOf(byDay: ReadonlyMap<string, number>): number {
  return [...byDay.values()].reduce((sum, value) => sum + value, 0);
}

/** More than a year is drawn from its last days. */
const SHOWN_DAYS = 400;

function between(first: string, last: string): readonly string[] {
  const days: string[] = [];
  const end = Date.parse(`${last}T00:00:00Z`);
  for (let at = Math.max(Date.parse(`${first}T00:00:00Z`), end - SHOWN_DAYS * DAY); at <= end; at += DAY)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

const DAY = 86_400_000;

/** A day in the zone of this browser, as the gateway names it. */
export function dayKey(ms: number): string {
  const date = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
