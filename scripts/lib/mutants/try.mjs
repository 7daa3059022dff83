// Each change alone against the tests that reach it: the nearest and fastest first, and what all of those miss against the others.
import { say } from "../toolchain.mjs";
import { runTests } from "./place.mjs";

/** What the first tests of a change may take without it. */
const FIRST_MS = 10_000;
/** And what the others that reach it may take when those have missed it. */
const REST_MS = 90_000;
/** A change may make a test slow; far beyond this it made it hang. */
const limitOf = (map, files) => 60_000 + 5 * files.reduce((sum, file) => sum + map.tests[file].ms, 0);

/**
 * Sets `outcome` of each change: `killed`, `hung`, `survived` or `not reached`, and `by`, the test that noticed; of one that
 * survived `unrun`, how many files reach it and take longer than a change is worth.
 * @param signal When it aborts, changes that were not tried stay without an outcome.
 */
export async function tryEach(copies, mutants, map, signal) {
  await inEach(copies, mutants, signal, (copy, mutant) => tryFirst(copy, mutant, map));
  const left = mutants.filter(({ outcome, rest }) => outcome === "survived" && rest.length > 0);
  say(`${left.length} left, tried against what else reaches them`);
  await inEach(copies, left, signal, (copy, mutant) => tryRest(copy, mutant, map));
}

async function inEach(copies, mutants, signal, work) {
  const queue = mutants.values();
  await Promise.all(
    copies.map(async (copy) => {
      for (const mutant of queue) {
        if (signal.aborted) return;
        await work(copy, mutant);
        say(
          `${mutant.id} ${mutant.outcome}: ${mutant.file}:${mutant.line} ${mutant.operator}${mutant.by === undefined ? "" : ` (${mutant.by})`}`,
        );
      }
    }),
  );
}

/** @returns the first files that together take no longer, one at least, and the others. */
function within(map, files, limit) {
  let ms = 0;
  let count = 0;
  while (count < files.length && (count === 0 || ms + map.tests[files[count]].ms <= limit)) {
    ms += map.tests[files[count]].ms;
    count += 1;
  }
  return [files.slice(0, count), files.slice(count)];
}

async function tryFirst(copy, mutant, map) {
  if (mutant.tests.length === 0) {
    mutant.outcome = "not reached";
    return;
  }
  const [first, rest] = within(map, mutant.tests, FIRST_MS);
  mutant.rest = rest;
  await judge(copy, mutant, first, map);
}

async function tryRest(copy, mutant, map) {
  const [more, unrun] = within(map, mutant.rest, REST_MS);
  mutant.unrun = unrun.length;
  await judge(copy, mutant, more, map);
}

async function judge(copy, mutant, files, map) {
  const { hung, results, output } = await runTests(copy, files, {
    on: [mutant.id],
    bail: true,
    limit: limitOf(map, files),
  });
  const failed = [...results].find(([, { passed }]) => !passed);
  if (hung) mutant.outcome = "hung";
  else if (failed !== undefined) {
    mutant.outcome = "killed";
    mutant.by = `${failed[0]}: ${failed[1].failure.slice(0, 200)}`;
  } else if (results.size === 0) {
    mutant.outcome = "killed";
    mutant.by = `the run broke: ${output.slice(-200)}`;
  } else mutant.outcome = "survived";
}
