// Each change alone against the tests that reach it: the nearest and fastest first, and what all of those miss against the others.
import { say } from "../toolchain.mjs";
import { openTests } from "../tests.mjs";
import { switchOn } from "./place.mjs";

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
  const places = copies.map((copy) => ({ copy, tests: openTests(copy) }));
  await inEach(places, mutants, signal, (place, mutant) => tryFirst(place, mutant, map));
  const left = mutants.filter(({ outcome, rest }) => outcome === "survived" && rest.length > 0);
  say(`${left.length} left, tried against what else reaches them`);
  await inEach(places, left, signal, (place, mutant) => tryRest(place, mutant, map));
  for (const { tests } of places) await tests.end();
}

async function inEach(places, mutants, signal, work) {
  const queue = mutants.values();
  await Promise.all(
    places.map(async (place) => {
      for (const mutant of queue) {
        if (signal.aborted) return;
        await work(place, mutant);
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

async function tryFirst(place, mutant, map) {
  if (mutant.tests.length === 0) {
    mutant.outcome = "not reached";
    return;
  }
  const [first, rest] = within(map, mutant.tests, FIRST_MS);
  mutant.rest = rest;
  await judge(place, mutant, first, map);
}

async function tryRest(place, mutant, map) {
  const [more, unrun] = within(map, mutant.rest, REST_MS);
  mutant.unrun = unrun.length;
  await judge(place, mutant, more, map);
}

async function judge({ copy, tests }, mutant, files, map) {
  switchOn(copy, mutant.id);
  const { hung, results, errors } = await tests.run(files, { limit: limitOf(map, files) });
  const failed = results.find(({ passed }) => !passed);
  const by = failed === undefined ? errors[0] : `${failed.file}: ${failed.failed[0] ?? failed.errors[0]}`;
  mutant.outcome = hung ? "hung" : by === undefined ? "survived" : "killed";
  if (!hung && by !== undefined) mutant.by = by.slice(0, 300);
}
