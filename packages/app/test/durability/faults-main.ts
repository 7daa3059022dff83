/**
 * `npm run faults [-- --every K] [--from N]`: each K-th call of the system in a rich turn fails, every one unless told. Prints
 * what broke; exit code 1 when a promise did.
 */
import { parseArgs } from "node:util";
import { callsOfTurn, faultyTurns } from "./faults.ts";
import { inPairs } from "./kill-points.ts";

const { values } = parseArgs({
  options: {
    every: { type: "string", default: "1" },
    from: { type: "string", default: "1" },
    to: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
const startedAt = performance.now();
const calls = await callsOfTurn();
const last = Math.min(calls, Number(values.to ?? calls));
const numbers: number[] = [];
for (let number = Number(values.from); number <= last; number += Number(values.every)) numbers.push(number);
const share = Math.ceil(numbers.length / Math.max(2, Math.ceil(numbers.length / 15)));
const shares: number[][] = [];
for (let from = 0; from < numbers.length; from += share) shares.push(numbers.slice(from, from + share));
let failed = 0;
await inPairs(shares, async (each) => {
  const broken = await faultyTurns(each, (line) => {
    if (values.verbose) process.stdout.write(`${line}\n`);
  });
  failed += broken.length;
  for (const line of broken) process.stdout.write(`${line}\n`);
});
const seconds = Math.round((performance.now() - startedAt) / 1000);
process.stdout.write(
  `${numbers.length} faults over ${calls} calls of a turn in ${seconds} s, ${failed} broken promises\n`,
);
if (failed > 0) process.exitCode = 1;
