import { expect, test } from "vitest";

import { fakeClock } from "../../src/testing.ts";

const never = new AbortController().signal;

test("sleepers wake in order of their time, also those that sleep again", async () => {
  const clock = fakeClock(1000);
  const seen: [string, number][] = [];
  const walk = async (name: string, ...steps: readonly number[]): Promise<void> => {
    for (const ms of steps) {
      await clock.sleep(ms, never);
      seen.push([name, clock.now()]);
    }
  };
  const done = Promise.all([walk("a", 30, 30), walk("b", 50), walk("c", 500)]);
  await clock.advance(100);
  expect(seen).toEqual([
    ["a", 1030],
    ["b", 1050],
    ["a", 1060],
  ]);
  expect(clock.pending()).toEqual([400]);
  await clock.advance(400);
  await done;
  expect([clock.now(), clock.monotonic()]).toEqual([1500, 500]);
});

test("an aborted sleep rejects with the reason and is forgotten", async () => {
  const clock = fakeClock();
  const controller = new AbortController();
  const reason = new Error("enough");
  const sleep = clock.sleep(10, controller.signal);
  controller.abort(reason);
  await expect(sleep).rejects.toBe(reason);
  await expect(clock.sleep(10, controller.signal)).rejects.toBe(reason);
  expect(clock.pending()).toEqual([]);
});

test("a test can wait for a sleep of a certain length", async () => {
  const clock = fakeClock();
  const controller = new AbortController();
  const short = clock.sleep(10, controller.signal);
  const found = clock.waitForSleep(1000, 2000);
  const long = clock.sleep(1500, controller.signal);
  expect(await found).toBe(1500);
  await clock.advance(1500);
  await Promise.all([short, long]);
});

test("a jump of the wall clock moves no timer", async () => {
  const clock = fakeClock(0);
  const sleep = clock.sleep(100, never);
  clock.jump(3_600_000);
  expect([clock.now(), clock.monotonic(), clock.pending()]).toEqual([3_600_000, 0, [100]]);
  await clock.advance(100);
  await sleep;
});
