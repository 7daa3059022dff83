import { expect, test } from "vitest";
import { callsOfTurn, faultyTurns } from "./faults.ts";
import { inPairs } from "./kill-points.ts";

/** All of them by `npm run faults`. */
const EVERY = 8;

test("R422 each eighth call of the system in a rich turn fails: everybody hears, nothing dies, is lost or done twice", async () => {
  const calls = await callsOfTurn();
  const numbers = Array.from({ length: Math.ceil(calls / EVERY) }, (_, index) => 1 + index * EVERY);
  const half = Math.ceil(numbers.length / 2);
  const broken: string[] = [];
  await inPairs([numbers.slice(0, half), numbers.slice(half)], async (each) => {
    broken.push(...(await faultyTurns(each)));
  });
  expect(broken).toEqual([]);
  expect(calls).toBeGreaterThan(200);
}, 1_800_000);
