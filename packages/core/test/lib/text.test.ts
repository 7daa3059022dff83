import { expect, test } from "vitest";
import { canonicalize, canonicalJson } from "../../src/lib/canonical-json.ts";
import { messageOf } from "../../src/lib/errors/errors.ts";
import { cutAt, ellipsis, truncate } from "../../src/lib/text.ts";
import { formatZoned, parseZoned, zonedClock } from "../../src/lib/zoned-time.ts";

test("canonical JSON sorts keys by code unit at every level and leaves out absent members", () => {
  const value = JSON.parse(
    '{"b":1,"a":{"d":[{"z":1,"y":null}],"Ä":"ü","10":1,"9":2},"__proto__":{"x":1}}',
  ) as Parameters<typeof canonicalJson>[0];
  expect(canonicalJson(value)).toBe('{"__proto__":{"x":1},"a":{"10":1,"9":2,"d":[{"y":null,"z":1}],"Ä":"ü"},"b":1}');
  expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
  expect(JSON.stringify(canonicalize({ b: { d: 1, c: 2 }, a: 3 }))).toBe('{"a":3,"b":{"c":2,"d":1}}');
  expect(canonicalJson(JSON.parse(canonicalJson(value)) as Parameters<typeof canonicalJson>[0])).toBe(
    canonicalJson(value),
  );
});

test("R173 text is cut at the limit, never inside a character", () => {
  expect(truncate("x".repeat(501), 500)).toBe(`${"x".repeat(500)}… [501 characters in all]`);
  expect(truncate("x".repeat(500), 500)).toBe("x".repeat(500));
  expect(cutAt("ab🎉", 3)).toBe("ab");
  expect(cutAt("ab🎉", 4)).toBe("ab🎉");
  expect(ellipsis("abcdef", 4)).toBe("abc…");
  expect(messageOf(new Error(`${"x".repeat(998)}🎉🎉`))).toBe(`${"x".repeat(998)}…`);
});

test.each([
  ["2024-01-15T10:00:00", "Asia/Shanghai", "2024-01-15T02:00:00.000Z"],
  ["2024-01-15T10:00:00.123456", "UTC", "2024-01-15T10:00:00.123Z"],
  ["2024-07-15 10:00", "Europe/Berlin", "2024-07-15T08:00:00.000Z"],
  ["2024-01-15T10:00:00Z", "Asia/Shanghai", "2024-01-15T10:00:00.000Z"],
  ["2024-01-15T10:00:00+05:30", "UTC", "2024-01-15T04:30:00.000Z"],
  ["2024-03-31T02:30:00", "Europe/Berlin", "2024-03-31T01:30:00.000Z"], // in the gap: moved forward to 03:30
  ["2024-10-27T02:30:00", "Europe/Berlin", "2024-10-27T00:30:00.000Z"], // twice: the first
  ["2024-04-07T01:45:00", "Australia/Lord_Howe", "2024-04-06T14:45:00.000Z"],
])("SS6 R174 %s in %s is %s", (text, timeZone, expected) => {
  expect(new Date(parseZoned(text, timeZone) ?? Number.NaN).toISOString()).toBe(expected);
});

test.each(["", "yesterday", "2024-01-15", "2024-13-01T00:00:00", "2024-01-15T10:99:00"])("%j is no time", (text) => {
  expect(parseZoned(text, "UTC")).toBeUndefined();
});

test("R137 the zone of this process is read without a formatter, and reads the same", () => {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [quick, exact] = [zonedClock(here, here), zonedClock(here)];
  for (const at of [0, 1, Date.UTC(2026, 0, 15, 12, 30, 15, 999), Date.UTC(2026, 6, 15, 23, 59, 59, 1)])
    expect(quick(at)).toEqual(exact(at));
});

test("R137 reading and writing a zone agree around both clock changes", () => {
  for (const timeZone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]) {
    const clock = zonedClock(timeZone);
    for (let at = Date.UTC(2026, 2, 1); at < Date.UTC(2026, 11, 1); at += 3_600_000 * 5 + 60_000) {
      const [local] = formatZoned(clock(at)).split(" ");
      expect(parseZoned(local!.replace(/([+-]\d\d:\d\d)$/, ":00$1"), "UTC")).toBe(at);
    }
  }
});
