/** A trigger in one sentence, in both languages: the common shapes in words, every other expression as it is. */
import { timeText, type Trigger } from "@margay/core/internal";

export interface Described {
  readonly en: string;
  readonly zh: string;
}

export function describe(trigger: Trigger): Described {
  switch (trigger.kind) {
    case "at": {
      const time = timeText(trigger.atMs, trigger.timeZone);
      return { en: `once at ${time}`, zh: `${time} 一次` };
    }
    case "every":
      return interval(trigger.everyMs);
    case "cron": {
      const { en, zh } = expression(trigger.expression) ?? {
        en: `at the times of ${trigger.expression}`,
        zh: `按表达式 ${trigger.expression} 指定的时间`,
      };
      return { en: `${en} (${trigger.timeZone})`, zh: `${zh}（${trigger.timeZone}）` };
    }
  }
}

const UNITS = [
  { ms: 86_400_000, en: "day", zh: "天" },
  { ms: 3_600_000, en: "hour", zh: "小时" },
  { ms: 60_000, en: "minute", zh: "分钟" },
  { ms: 1000, en: "second", zh: "秒" },
] as const;

function interval(ms: number): Described {
  const { ms: size, en, zh } = UNITS.find((unit) => ms % unit.ms === 0) ?? UNITS[3];
  const count = ms / size;
  return { en: count === 1 ? `every ${en}` : `every ${count} ${en}s`, zh: `每 ${count} ${zh}` };
}

function expression(text: string): Described | undefined {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = text.trim().split(/\s+/);
  if (day === "*" && month === "*" && weekday === "*") {
    const everyMinute = step(minute);
    if (hour === "*" && everyMinute !== undefined) return interval(everyMinute * 60_000);
    const everyHour = step(hour);
    const at = number(minute, 59);
    if (everyHour !== undefined && at !== undefined) {
      const base = interval(everyHour * 3_600_000);
      return { en: `${base.en}, ${at} minutes past the hour`, zh: `${base.zh}，在第 ${at} 分钟` };
    }
  }
  const times = clockTimes(minute, hour);
  if (times === undefined) return undefined;
  const at = { en: `at ${listed(times, " and ")}`, zh: times.join("、") };
  if (day === "*" && month === "*") {
    if (weekday === "*") return { en: `every day ${at.en}`, zh: `每天 ${at.zh}` };
    const days = weekdays(weekday);
    if (days === undefined) return undefined;
    if (days.join() === "1,2,3,4,5") return { en: `on weekdays ${at.en}`, zh: `每个工作日 ${at.zh}` };
    return {
      en: `every ${listed(
        days.map((one) => DAYS.en[one] ?? ""),
        " and ",
      )} ${at.en}`,
      zh: `每${days.map((one) => DAYS.zh[one]).join("、")} ${at.zh}`,
    };
  }
  const dayOfMonth = number(day, 31);
  if (weekday !== "*" || dayOfMonth === undefined || dayOfMonth === 0) return undefined;
  if (month === "*")
    return { en: `on day ${dayOfMonth} of every month ${at.en}`, zh: `每月 ${dayOfMonth} 日 ${at.zh}` };
  const monthOfYear = number(month, 12) ?? MONTHS.indexOf(month.toLowerCase()) + 1;
  if (monthOfYear < 1) return undefined;
  const name = MONTH_NAMES[monthOfYear - 1] ?? "";
  return { en: `every year on ${name} ${dayOfMonth} ${at.en}`, zh: `每年 ${monthOfYear} 月 ${dayOfMonth} 日 ${at.zh}` };
}

const DAYS = {
  en: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
  zh: ["周日", "周一", "周二", "周三", "周四", "周五", "周六"],
} as const;
const SHORT_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTH_NAMES = "January February March April May June July August September October November December".split(" ");
const MONTHS = MONTH_NAMES.map((name) => name.slice(0, 3).toLowerCase());
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

/** 0 and 7 are Sunday. */
function weekdays(field: string): readonly number[] | undefined {
  const found: number[] = [];
  for (const part of field.toLowerCase().split(",")) {
    const [from = "", to = from] = part.split("-");
    const [first, last] = [dayOf(from), dayOf(to)];
    if (first === undefined || last === undefined || first > last) return undefined;
    for (let day = first; day <= last; day++) found.push(day % 7);
  }
  return found;
}

function dayOf(text: string): number | undefined {
  const named = SHORT_DAYS.indexOf(text);
  return named >= 0 ? named : number(text, 7);
}

function listed(items: readonly string[], last: string): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")}${last}${items.at(-1) ?? ""}`;
}
