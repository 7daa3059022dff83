import { expect, test } from "vitest";
import { chaosLife, KILLS_PER_LIFE } from "./chaos.ts";
import { inPairs } from "./kill-points.ts";

/** More by `npm run chaos`. */
const LIVES = 3;

// What is done and when it is killed is the same in each run; what it is doing then is up to the machine.
test("R422 killed 30 times at random, alone and with all it started: nothing lost, twice, or stuck", async () => {
  const broken: string[] = [];
  let killed = 0;
  await inPairs(
    Array.from({ length: LIVES }, (_, index) => index + 1),
    async (seed) => {
      const verdict = await chaosLife(seed, KILLS_PER_LIFE);
      killed += verdict.killed;
      broken.push(...verdict.broken.map((line) => `--seed ${seed}: ${line}`));
    },
  );
  expect(broken).toEqual([]);
  expect(killed).toBe(LIVES * KILLS_PER_LIFE);
}, 1_800_000);
