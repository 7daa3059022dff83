import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const source = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

/** In a process of its own: `TZ` counts when a process starts. */
const PROGRAM = `
  const { systemTimeZone } = await import(${source("machine/system/time-zone.ts")});
  const { formatZoned, zonedClock } = await import(${source("lib/zoned-time.ts")});
  const zone = systemTimeZone();
  const real = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [ours, theirs] = [zonedClock(zone, zone), zonedClock(real)];
  const odd = [];
  for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 3_600_000 * 5 + 60_000)
    if (formatZoned(ours(at)) !== formatZoned(theirs(at))) odd.push(at);
  console.log(JSON.stringify([zone, real, odd]));
`;

test.each([
  "UTC",
  "Etc/UTC",
  "Europe/Berlin",
  "America/Argentina/Ushuaia",
  "Australia/Lord_Howe",
  "CET-1CEST",
  ":UTC",
  undefined,
])("R137 the time of the machine's own zone (TZ=%s) is what Intl says", (zone) => {
  const { TZ: _, ...env } = process.env;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", PROGRAM], {
    encoding: "utf8",
    env: { ...env, ...(zone !== undefined && { TZ: zone }) },
  });
  const [ours, real, odd] = JSON.parse(output) as [string, string, readonly number[]];
  expect(odd).toEqual([]);
  expect(ours).toBe(real);
});
