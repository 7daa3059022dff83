/** The trigger as the builder edits it: each kind keeps its own values, so that switching loses nothing. */
import type { Job, JobInput } from "./types.ts";

export type Form = "once" | "every" | "days" | "month" | "expression";

export interface TriggerDraft {
  readonly form: Form;
  /** Local to `zone`. */
  readonly date: string;
  readonly time: string;
  readonly count: number;
  readonly unit: "minutes" | "hours" | "days";
  readonly anchor?: number;
  /** The one value of days, month and expression. */
  readonly expression: string;
  /** What the other simple form had before the switch. */
  readonly kept?: { readonly [Key in Form]?: string };
  /** Empty: the machine's. */
  readonly zone: string;
}

export const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

export function newTrigger(now: number): TriggerDraft {
  const { date } = localParts(now + 86_400_000, undefined);
  return { form: "days", date, time: "09:00", count: 1, unit: "hours", expression: "30 8 * * 1-5", zone: "" };
}

export function readTrigger(trigger: Job["trigger"], now: number): TriggerDraft {
  const base = newTrigger(now);
  switch (trigger.kind) {
    case "at":
      return { ...base, form: "once", ...localParts(trigger.at, trigger.timeZone), zone: trigger.timeZone };
    case "every":
      return { ...base, form: "every", ...readEvery(trigger.everyMs), anchor: trigger.anchor };
    case "cron":
      return { ...base, form: formOf(trigger.expression), expression: trigger.expression, zone: trigger.timeZone };
  }
}

export function triggerBody(draft: TriggerDraft): JobInput["trigger"] {
  const zone = draft.zone.trim() === "" ? {} : { timeZone: draft.zone.trim() };
  if (draft.form === "once") return { kind: "at", at: `${draft.date}T${draft.time}`, ...zone };
  if (draft.form === "every")
    return {
      kind: "every",
      everyMs: draft.count * UNIT_MS[draft.unit],
      ...(draft.anchor !== undefined && { anchor: draft.anchor }),
    };
  return { kind: "cron", expression: draft.expression, ...zone };
}

function readEvery(ms: number): { readonly count: number; readonly unit: TriggerDraft["unit"] } {
  for (const unit of ["days", "hours"] as const)
    if (ms % UNIT_MS[unit] === 0) return { count: ms / UNIT_MS[unit], unit };
  return { count: ms / UNIT_MS.minutes, unit: "minutes" };
}

/** The simplest form that shows the expression whole. */
export function formOf(expression: string): Form {
  if (readDays(expression) !== undefined) return "days";
  return readMonth(expression) === undefined ? "expression" : "month";
}

export interface Days {
  readonly time: string;
  /** 1 Monday … 7 Sunday. */
  readonly days: readonly number[];
}

/** `30 8 * * 1-5`; undefined: it says more than days and a time. */
export function readDays(expression: string): Days | undefined {
  const parts = fieldsOf(expression);
  if (parts === undefined || parts.day !== "*") return undefined;
  const days = readWeekdays(parts.weekday);
  return days === undefined ? undefined : { time: parts.time, days };
}

export function writeDays({ time, days }: Days): string {
  const { hour, minute } = split(time);
  const set = [...new Set(days)].toSorted((a, b) => a - b);
  return `${minute} ${hour} * * ${set.length === 7 ? "*" : ranges(set)}`;
}

export interface Month {
  readonly time: string;
  readonly day: number;
}

export function readMonth(expression: string): Month | undefined {
  const parts = fieldsOf(expression);
  if (parts === undefined || parts.weekday !== "*" || !/^\d{1,2}$/.test(parts.day)) return undefined;
  const day = Number(parts.day);
  return day >= 1 && day <= 31 ? { time: parts.time, day } : undefined;
}

export function writeMonth({ time, day }: Month): string {
  const { hour, minute } = split(time);
  return `${minute} ${hour} ${day} * *`;
}

function fieldsOf(
  expression: string,
): { readonly time: string; readonly day: string; readonly weekday: string } | undefined {
  const [minute, hour, day, month, weekday, ...more] = expression.trim().split(/\s+/);
  if (
    minute === undefined ||
    hour === undefined ||
    day === undefined ||
    month !== "*" ||
    weekday === undefined ||
    more.length > 0
  )
    return undefined;
  if (!/^\d{1,2}$/.test(minute) || !/^\d{1,2}$/.test(hour) || Number(minute) > 59 || Number(hour) > 23)
    return undefined;
  return { time: `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`, day, weekday };
}

const NAMES = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

function readWeekdays(text: string): readonly number[] | undefined {
  if (text === "*") return [1, 2, 3, 4, 5, 6, 7];
  const days: number[] = [];
  for (const part of text.split(",")) {
    const [from, to = from] = part.split("-").map(weekday);
    if (from === undefined || to === undefined || to < from) return undefined;
    for (let day = from; day <= to; day++) days.push(day === 0 ? 7 : day);
  }
  return [...new Set(days)].toSorted((a, b) => a - b);
}

function weekday(text: string): number | undefined {
  if (/^[0-7]$/.test(text)) return Number(text);
  const at = NAMES.indexOf(text.toUpperCase());
  return at < 0 ? undefined : at;
}

/** 1,2,3,5 → `1-3,5`. */
function ranges(days: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === day - 1) last[1] = day;
    else runs.push([day, day]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

function split(time: string): { readonly hour: number; readonly minute: number } {
  const [hour = "0", minute = "0"] = time.split(":");
  return { hour: Number(hour), minute: Number(minute) };
}

/** Date and time of a moment as input fields want them. */
function localParts(at: number, timeZone: string | undefined): { readonly date: string; readonly time: string } {
  const parts = new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle: "short",
    ...(timeZone !== undefined && { timeZone }),
  }).format(at);
  const [date = "", time = ""] = parts.split(" ");
  return { date, time };
}
