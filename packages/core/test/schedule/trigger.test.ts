import { expect, test } from "vitest";
import { loadCalendar } from "../../src/schedule/calendar.ts";
import { lastDues, nextDue } from "../../src/schedule/trigger.ts";
import { zonedClock } from "../../src/lib/zoned-time.ts";

const calendar = await loadCalendar();
const at = (text: string): number => Date.parse(text);
const iso = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString());
const next = (expression: string, timeZone: string, after: string): string | undefined =>
  iso(nextDue({ kind: "cron", expression, timeZone }, at(after), calendar));

for (const [expression, zone, after, due] of [
  ["0 9 * * MON-FRI", "Europe/Berlin", "2026-11-20T09:00:00Z", "2026-11-23T08:00:00.000Z"],
  ["*/15 8-10 * * *", "Asia/Shanghai", "2026-11-20T01:45:01Z", "2026-11-20T02:00:00.000Z"],
  ["0 0 1 JAN *", "UTC", "2026-11-20T00:00:00Z", "2027-01-01T00:00:00.000Z"],
  ["0 12 29 2 *", "UTC", "2026-11-20T00:00:00Z", "2028-02-29T12:00:00.000Z"],
  ["30 6 * * SUN", "America/New_York", "2026-11-20T00:00:00Z", "2026-11-22T11:30:00.000Z"],
  ["0 9 * * 7", "UTC", "2026-11-20T00:00:00Z", "2026-11-22T09:00:00.000Z"],
] as const)
  test(`R232 ${expression} in ${zone} is next due at ${due}`, () => {
    expect(next(expression, zone, after)).toBe(due);
  });

for (const [zone, what, expression, after, due] of [
  ["Europe/Berlin", "gap", "30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00.000Z"],
  ["America/New_York", "gap", "30 2 * * *", "2026-03-07T12:00:00Z", "2026-03-08T07:00:00.000Z"],
  ["Australia/Lord_Howe", "half-hour gap", "15 2 * * *", "2026-10-03T12:00:00Z", "2026-10-03T15:30:00.000Z"],
  ["Europe/Berlin", "repeated hour", "30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00.000Z"],
  ["America/New_York", "repeated hour", "30 1 * * *", "2026-10-31T12:00:00Z", "2026-11-01T05:30:00.000Z"],
  ["Australia/Lord_Howe", "repeated half hour", "45 1 * * *", "2026-04-04T12:00:00Z", "2026-04-04T14:45:00.000Z"],
] as const)
  test(`R242 ${zone}: ${expression} on the day of the ${what} is due at ${due}, once`, () => {
    expect(next(expression, zone, after)).toBe(due);
    const following = next(expression, zone, due);
    expect(at(following ?? "") - at(due)).toBeGreaterThan(22 * 3_600_000);
  });

test("R242 every quarter of an hour around both changes: no time twice, the gap is one time", () => {
  const quarter = { kind: "cron", expression: "*/15 * * * *", timeZone: "Europe/Berlin" } as const;
  const spring = lastDues(quarter, at("2026-03-29T00:44:00Z"), at("2026-03-29T01:16:00Z"), 100, calendar);
  expect(spring.map(iso)).toEqual(["2026-03-29T00:45:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-29T01:15:00.000Z"]);
  const autumn = lastDues(quarter, at("2026-10-25T00:29:00Z"), at("2026-10-25T02:16:00Z"), 100, calendar);
  expect(autumn.map(iso)).toEqual([
    "2026-10-25T00:30:00.000Z",
    "2026-10-25T00:45:00.000Z",
    "2026-10-25T02:00:00.000Z",
    "2026-10-25T02:15:00.000Z",
  ]);
});

/** What must hold of a daily time over ten years, told without the code that is tested: from Intl, day by day. */
for (const timeZone of [
  "America/New_York",
  "Europe/London",
  "Australia/Sydney",
  "Australia/Lord_Howe",
  "Asia/Shanghai",
])
  for (const [hour, minute] of [
    [1, 30],
    [2, 15],
  ] as const)
    test(`R242 CR8 ten years in ${timeZone} at ${hour}:${minute}: one run a day, at the first moment that shows it`, () => {
      const zone = zonedClock(timeZone);
      const trigger = { kind: "cron", expression: `${minute} ${hour} * * *`, timeZone } as const;
      const begin = at("2026-01-01T12:00:00Z");
      const end = at("2036-01-01T12:00:00Z");
      const wanted = hour * 60 + minute;
      const days = new Map<string, number>();
      const wrong: string[] = [];
      for (let due = nextDue(trigger, begin, calendar); due !== undefined && due < end;) {
        const shown = zone(due);
        const date = `${shown.year}-${shown.month}-${shown.day}`;
        days.set(date, (days.get(date) ?? 0) + 1);
        const minutes = shown.hour * 60 + shown.minute;
        const before = zone(due - 60_000);
        const jumped = minutes - (before.hour * 60 + before.minute);
        // Either the clock shows it and has not shown it before on that day, or it jumped over it in this very minute.
        const exact = minutes === wanted && ![30, 60].some((back) => sameWall(zone(due! - back * 60_000), shown));
        const gap = minutes > wanted && minutes - jumped < wanted;
        if (shown.second !== 0 || (!exact && !gap)) wrong.push(new Date(due).toISOString());
        due = nextDue(trigger, due, calendar);
      }
      expect(wrong).toEqual([]);
      expect([...days.values()].every((count) => count === 1)).toBe(true);
      expect(Math.abs(days.size - (end - begin) / 86_400_000)).toBeLessThanOrEqual(1);
    });

function sameWall(a: ReturnType<ReturnType<typeof zonedClock>>, b: typeof a): boolean {
  return a.day === b.day && a.hour === b.hour && a.minute === b.minute;
}

test("R241 R242 every is elapsed time from its anchor, over changes of the clock", () => {
  const trigger = { kind: "every", everyMs: 86_400_000, fromMs: at("2026-03-27T09:00:00Z") } as const;
  expect(iso(nextDue(trigger, at("2026-03-29T08:59:59Z"), calendar))).toBe("2026-03-29T09:00:00.000Z");
  expect(iso(nextDue(trigger, at("2026-03-29T09:00:00Z"), calendar))).toBe("2026-03-30T09:00:00.000Z");
  expect(iso(nextDue(trigger, at("2020-01-01T00:00:00Z"), calendar))).toBe("2026-03-28T09:00:00.000Z");
});

test("R240 the last missed times are found without walking a year of minutes", () => {
  const minutely = { kind: "cron", expression: "* * * * *", timeZone: "UTC" } as const;
  const until = at("2026-06-01T00:00:30Z");
  expect(lastDues(minutely, at("2025-06-01T00:00:00Z"), until, 3, calendar).map(iso)).toEqual([
    "2026-05-31T23:58:00.000Z",
    "2026-05-31T23:59:00.000Z",
    "2026-06-01T00:00:00.000Z",
  ]);
  const yearly = { kind: "cron", expression: "0 0 1 1 *", timeZone: "UTC" } as const;
  expect(lastDues(yearly, at("2020-06-01T00:00:00Z"), until, 20, calendar)).toHaveLength(6);
});
