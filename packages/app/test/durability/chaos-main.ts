/**
 * `npm run chaos [-- N] [--seed S]`: N random kills, 1,000 unless told, in lives of ten with seeds from S on. Prints what broke;
 * exit code 1 when a promise did.
 */
import { parseArgs } from "node:util";
import { chaosLife, KILLS_PER_LIFE } from "./chaos.ts";
import { inPairs } from "./kill-points.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, verbose: { type: "boolean", default: false } },
});
const kills = Number(positionals[0] ?? 1000);
const first = Number(values.seed);
const startedAt = performance.now();
let killed = 0;
let errands = 0;
let failed = 0;
await inPairs(
  Array.from({ length: Math.ceil(kills / KILLS_PER_LIFE) }, (_, index) => first + index),
  async (seed) => {
    const log = (line: string): void => {
      if (values.verbose) process.stdout.write(`seed ${seed}, ${line}\n`);
    };
    const verdict = await chaosLife(seed, Math.min(KILLS_PER_LIFE, kills), log);
    killed += verdict.killed;
    errands += verdict.errands;
    if (verdict.broken.length === 0) return;
    failed++;
    process.stdout.write(`--seed ${seed}, kill ${verdict.killed}: ${verdict.broken.join("\n  ")}\n`);
  },
);
const seconds = Math.round((performance.now() - startedAt) / 1000);
process.stdout.write(`${killed} kills over ${errands} errands in ${seconds} s, ${failed} lives with broken promises\n`);
if (failed > 0 || killed < kills) process.exitCode = 1;
