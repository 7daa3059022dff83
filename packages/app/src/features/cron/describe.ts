/** A trigger in one sentence, in both languages: the common shapes in words, every other expression as it is. */
import { speaker, timeText, type Say, type Trigger } from "@margay/core/internal";
import { en } from "./describe.en.ts";
import { zh } from "./describe.zh.ts";

export interface Described {
  readonly en: string;
  readonly zh: string;
}

const texts = speaker(en, zh);

export function describe(trigger: Trigger): Described {
  return { en: inWords(trigger, texts("en")), zh: inWords(trigger, texts("zh-CN")) };
}

type SayWhen = Say<typeof en>;

function inWords(trigger: Trigger, say: SayWhen): string {
  switch (trigger.kind) {
    case "at":
      return say("once", { time: timeText(trigger.atMs, trigger.timeZone) });
    case "every":
      return interval(trigger.everyMs, say);
    case "cron": {
      const { expression, timeZone: zone } = trigger;
      return say("zone", { text: expressionText(expression, say) ?? say("expression", { expression }), zone });
    }
  }
}

const UNITS = [
  { ms: 86_400_000, unit: "day" },
  { ms: 3_600_000, unit: "hour" },
  { ms: 60_000, unit: "minute" },
  { ms: 1000, unit: "second" },
] as const;

function interval(ms: number, say: SayWhen): string {
  const { ms: size, unit } = UNITS.find((one) => ms % one.ms === 0) ?? UNITS[3];
  const n = ms / size;
  return n === 1 ? say(`every.one.${unit}`) : say(`every.${unit}`, { n });
}

function expressionText(text: string, say: SayWhen): string | undefined {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = text.trim().split(/\s+/);
  if (day === "*" && month === "*" && weekday === "*") {
    const everyMinute = step(minute);
    if (hour === "*" && everyMinute !== undefined) return interval(everyMinute * 60_000, say);
    const everyHour = step(hour);
    const past = number(minute, 59);
    if (everyHour !== undefined && past !== undefined)
      return say("past", { base: interval(everyHour * 3_600_000, say), n: past });
  }
  const times = clockTimes(minute, hour);
  if (times === undefined) return undefined;
  const at = say("at", { times: listed(times, say) });
  if (day === "*" && month === "*") {
    if (weekday === "*") return say("daily", { at });
    const days = weekdays(weekday);
    if (days === undefined) return undefined;
    if (days.join() === "1,2,3,4,5") return say("workdays", { at });
    const names = days.map((one) => say(`day.${one}`));
    return say("weekly", { days: listed(names, say), at });
  }
  const dayOfMonth = number(day, 31);
  if (weekday !== "*" || dayOfMonth === undefined || dayOfMonth === 0) return undefined;
  if (month === "*") return say("monthly", { day: dayOfMonth, at });
  const monthOfYear = MONTHS.find(
    (one) => one === number(month, 12) || en[`month.${one}`].slice(0, 3).toLowerCase() === month.toLowerCase(),
  );
  return monthOfYear === undefined
    ? undefined
    : say("yearly", { month: say(`month.${monthOfYear}`), day: dayOfMonth, at });
}

const SHORT_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const;
const MAX_TIMES = 4;

/** `*` is every minute, `*` with a step every so many. */
function step(field: string): number | undefined {
  if (field === "*") return 1;
  const size = /^\*\/(\d+)$/.exec(field)?.[1];
  return size === undefined ? undefined : Number(size);
}

function number(field: string, max: number): number | undefined {
  const value = /^\d{1,2}$/.test(field) ? Number(field) : Number.NaN;
  return value <= max ? value : undefined;
}

function clockTimes(minute: string, hour: string): readonly string[] | undefined {
  const minutes = numbers(minute, 59);
  const hours = numbers(hour, 23);
  if (minutes === undefined || hours === undefined || minutes.length * hours.length > MAX_TIMES) return undefined;
  return hours.flatMap((h) => minutes.map((m) => `${String(h).padStart(2, "0")}:${String(m).padStart(2, "0")}`));
}

function numbers(field: string, max: number): readonly number[] | undefined {
  const values = field.split(",").map((one) => number(one, max));
  return values.every((one) => one !== undefined) ? values : undefined;
}

const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6] as const;
type Weekday = (typeof WEEKDAYS)[number];

/** 0 and 7 are Sunday. */
function weekdays(field: string): readonly Weekday[] | undefined {
  const found: Weekday[] = [];
  for (const part of field.toLowerCase().split(",")) {
    const [from = "", to = from] = part.split("-");
    const [first, last] = [dayOf(from), dayOf(to)];
    if (first === undefined || last === undefined || first > last) return undefined;
    for (let day = first; day <= last; day++) found.push(WEEKDAYS[day % 7] ?? 0);
  }
  return found;
}

function dayOf(text: string): number | undefined {
  const named = SHORT_DAYS.indexOf(text);
  return named >= 0 ? named : number(text, 7);
}

function listed(items: readonly string[], say: SayWhen): string {
  return items.length < 2
    ? items.join("")
    : `${items.slice(0, -1).join(say("comma"))}${say("and")}${items.at(-1) ?? ""}`;
}
