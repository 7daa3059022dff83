/** "every day at 9 remind me to stretch", "每天早上9点提醒我喝水": a time phrase and what is to happen then. */
import type { Intent, When } from "./intent.ts";

const TIME = String.raw`(?:(?<noon>noon|midnight)|(?<hour>\d{1,2})(?:[:.h](?<minute>\d{2}))?\s*(?<half>a\.?m\.?|p\.?m\.?|o'clock)?)`;
const DAYS = "sunday|monday|tuesday|wednesday|thursday|friday|saturday";
const EN_WHEN = [
  String.raw`(?:every|each)\s+(?<unit>day|morning|afternoon|evening|night|weekday|workday|weekend|${DAYS})s?(?:(?:\s+at|\s*,)?\s+${TIME})?`,
  String.raw`daily\s+at\s+${TIME}`,
  String.raw`(?:every|each)\s+(?:(?<count>\d+)\s+)?(?<step>second|minute|hour)s?`,
  String.raw`in\s+(?<after>\d+|an?)\s+(?<span>second|minute|hour)s?`,
  String.raw`(?:(?<day>today|tomorrow)\s+)?at\s+${TIME}(?:\s+(?<later>today|tomorrow))?`,
];
const REMIND = String.raw`(?:please\s+)?remind\s+me`;
const FILLER = String.raw`(?:\s*:|\s+(?:to|that|about|of))?\s+`;

const ZH_NUMBER = "[0-9]{1,2}|[零一二两三四五六七八九十]{1,3}";
const ZH_TIME = `(?<part>早上|早晨|上午|中午|下午|傍晚|晚上|凌晨)?(?<hour>${ZH_NUMBER})(?:点钟?|时|[:：])(?:(?<minute>半|一刻|[0-9]{1,2})分?)?`;
const ZH_WHEN = [
  `(?:每天|每日|天天|每个?(?<unit>工作日|周末)|每(?:周|星期|个星期)(?<weekday>[一二三四五六日天]))的?(?:${ZH_TIME})?`,
  `每(?:隔|过)?(?<count>${ZH_NUMBER}|[0-9]+)?个?(?<step>秒钟?|分钟|小时|钟头)`,
  `(?:过)?(?<after>${ZH_NUMBER}|[0-9]+|半)个?(?<span>秒钟?|分钟|小时|钟头)(?:之?后|以后)?`,
  `(?<day>今天|明天)?(?:的)?${ZH_TIME}`,
];
const ZH_REMIND = "(?:请)?(?:提醒|叫|喊|通知)我(?:要|去|该)?";

type Groups = Readonly<Record<string, string | undefined>>;

/** @returns undefined when the text is not about a later time. */
export function scheduleIntent(text: string): Intent | undefined {
  for (const source of EN_WHEN) {
    const found =
      match(`${source}[\\s,:]+(?:(?<remind>${REMIND})${FILLER})?(?<what>.+)`, text) ??
      match(`(?<remind>${REMIND})\\s+${source}${FILLER}(?<what>.+)`, text) ??
      match(`(?:(?<remind>${REMIND})${FILLER})?(?<what>.+?)\\s+${source}`, text);
    const intent = found && scheduled(found, englishWhen(found));
    if (intent) return intent;
  }
  for (const source of ZH_WHEN) {
    const found =
      match(`${source}[，,\\s]*(?:(?<remind>${ZH_REMIND})[：:，,\\s]*)?(?<what>.+)`, text) ??
      match(`(?<remind>${ZH_REMIND})${source}[，,\\s]*(?<what>.+)`, text);
    const intent = found && scheduled(found, chineseWhen(found));
    if (intent) return intent;
  }
  return undefined;
}

function match(source: string, text: string): Groups | undefined {
  return new RegExp(`^(?:${source})$`, "isu").exec(text)?.groups;
}

function scheduled(groups: Groups, when: When | undefined): Intent | undefined {
  const message = groups["what"]?.trim().replace(/[。.!！]+$/u, "");
  if (!when || !message) return undefined;
  const reminder = groups["remind"] !== undefined;
  // "at 9 items" or "过5分钟" in ordinary talk is no schedule: a bare time needs the request to be reminded.
  if (!reminder && (when.type === "at" || when.type === "in" || groups["hour"] === undefined) && when.type !== "every")
    return undefined;
  return { kind: "schedule", when, message, reminder };
}

const PARTS: Readonly<Record<string, number>> = { morning: 8, afternoon: 14, evening: 18, night: 21 };

function englishWhen(g: Groups): When | undefined {
  const seconds = { second: 1, minute: 60, hour: 3600 } as const;
  const unit = (g["step"] ?? g["span"])?.toLowerCase() as keyof typeof seconds | undefined; // the pattern allows no other word
  if (unit && g["step"]) return every(Number(g["count"] ?? 1) * seconds[unit]);
  if (unit && g["after"])
    return { type: "in", seconds: (/^an?$/i.test(g["after"]) ? 1 : Number(g["after"])) * seconds[unit] };
  const day = g["unit"]?.toLowerCase();
  const clock = englishClock(g, day);
  if (!clock) return undefined;
  const relative = (g["day"] ?? g["later"])?.toLowerCase();
  // Only the phrase "(today) at 9" can be followed by a day; "every day at 9" cannot.
  if ("later" in g)
    return { type: "at", ...(relative !== undefined && { day: relative === "tomorrow" ? 1 : 0 }), ...clock };
  return daily(clock, day === "weekday" || day === "workday" ? "1-5" : day === "weekend" ? "0,6" : weekdayNumber(day));
}

function weekdayNumber(day: string | undefined): string {
  const index = day === undefined ? -1 : DAYS.split("|").indexOf(day);
  return index < 0 ? "*" : String(index);
}

function englishClock(g: Groups, day: string | undefined): { hour: number; minute: number } | undefined {
  if (g["noon"]) return { hour: g["noon"].toLowerCase() === "noon" ? 12 : 0, minute: 0 };
  if (g["hour"] === undefined) return { hour: PARTS[day ?? ""] ?? 9, minute: 0 };
  const half = g["half"]?.toLowerCase().replaceAll(".", "");
  let hour = Number(g["hour"]);
  if (half === "pm" && hour < 12) hour += 12;
  else if (half === "am" && hour === 12) hour = 0;
  else if (half !== "am" && (day === "evening" || day === "night" || day === "afternoon") && hour < 12) hour += 12;
  return valid(hour, Number(g["minute"] ?? 0));
}

function chineseWhen(g: Groups): When | undefined {
  const step = g["step"] ?? g["span"];
  if (step) {
    const size = step.startsWith("秒") ? 1 : step === "分钟" ? 60 : 3600;
    const count = g["step"] ? g["count"] : g["after"];
    const seconds = Math.round((count === "半" ? 0.5 : count === undefined ? 1 : chineseNumber(count)) * size);
    return g["step"] ? every(seconds) : { type: "in", seconds };
  }
  const clock = g["hour"] === undefined ? { hour: 9, minute: 0 } : chineseClock(g);
  if (!clock) return undefined;
  if ("day" in g) return { type: "at", ...(g["day"] !== undefined && { day: g["day"] === "明天" ? 1 : 0 }), ...clock };
  const weekday = g["weekday"];
  return daily(
    clock,
    g["unit"] === "工作日"
      ? "1-5"
      : g["unit"] === "周末"
        ? "0,6"
        : weekday
          ? String("日一二三四五六".indexOf(weekday.replace("天", "日")))
          : "*",
  );
}

function chineseClock(g: Groups): { hour: number; minute: number } | undefined {
  let hour = chineseNumber(g["hour"] ?? "");
  if (/下午|傍晚|晚上/.test(g["part"] ?? "") && hour < 12) hour += 12;
  if (g["part"] === "中午" && hour < 3) hour += 12;
  const minute = g["minute"];
  return valid(hour, minute === "半" ? 30 : minute === "一刻" ? 15 : Number(minute ?? 0));
}

function chineseNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const digit = (c: string | undefined): number =>
    c === undefined || c === "" ? 0 : c === "两" ? 2 : "零一二三四五六七八九".indexOf(c);
  const [tens, ones] = text.split("十");
  return ones === undefined ? digit(text) : (tens === "" ? 1 : digit(tens)) * 10 + digit(ones);
}

function every(seconds: number): When | undefined {
  return seconds >= 1 ? { type: "every", seconds } : undefined;
}
function daily(clock: { hour: number; minute: number }, weekdays: string): When {
  return { type: "cron", expression: `${clock.minute} ${clock.hour} * * ${weekdays}` };
}
function valid(hour: number, minute: number): { hour: number; minute: number } | undefined {
  return hour <= 23 && minute <= 59 ? { hour, minute } : undefined;
}
