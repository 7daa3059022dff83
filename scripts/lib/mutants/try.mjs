// Each change alone against the tests that reach it: the nearest and fastest first, and what those miss against all the rest.
import { say } from "../toolchain.mjs";
import { runTests } from "./place.mjs";

/** What the first tests of a change may take without it. */
const FIRST_MS = 10_000;
/** A change may make a test slow; far beyond this it made it hang. */
const limitOf = (map, files) => 60_000 + 5 * files.reduce((sum, file) => sum + map.tests[file].ms, 0);

/** Sets `outcome` of each change: `killed`, `hung`, `survived` or `not reached`, and `by`, the test that noticed. */
export async function tryEach(copies, mutants, map) {
  const queue = mutants.values();
  await Promise.all(
    copies.map(async (copy) => {
      for (const mutant of queue) {
        await tryFirst(copy, mutant, map);
        say(
          `${mutant.id} ${mutant.outcome}: ${mutant.file}:${mutant.line} ${mutant.operator}${mutant.by === undefined ? "" : ` (${mutant.by})`}`,
        );
      }
    }),
  );
  await tryRest(
    copies,
    mutants.filter(({ outcome, rest }) => outcome === "survived" && rest.length > 0),
    map,
  );
}

async function tryFirst(copy, mutant, map) {
  if (mutant.tests.length === 0) {
    mutant.outcome = "not reached";
    return;
  }
  let ms = 0;
  let count = 0;
  while (count < mutant.tests.length && (count === 0 || ms + map.tests[mutant.tests[count]].ms <= FIRST_MS)) {
    ms += map.tests[mutant.tests[count]].ms;
    count += 1;
  }
  mutant.rest = mutant.tests.slice(count);
  await judge(copy, mutant, mutant.tests.slice(0, count), map);
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

/** All that are left at once over every file that one of them reaches: a file that passes notices none of them. */
async function tryRest(copies, mutants, map) {
  const files = [...new Set(mutants.flatMap(({ rest }) => rest))];
  say(`${mutants.length} left, ${files.length} more test files reach them`);
  const on = mutants.map(({ id }) => id);
  const doubtful = new Set();
  const shares = copies.map((_copy, index) => files.filter((_file, at) => at % copies.length === index));
  await Promise.all(
    copies.map(async (copy, index) => {
      const share = shares[index];
      if (share.length === 0) return;
      const { results } = await runTests(copy, share, { on, limit: limitOf(map, share) });
      for (const file of share) if (results.get(file)?.passed !== true) doubtful.add(file);
    }),
  );
  const queue = mutants.values();
  await Promise.all(
    copies.map(async (copy) => {
      for (const mutant of queue) {
        const left = mutant.rest.filter((file) => doubtful.has(file));
        if (left.length > 0) await judge(copy, mutant, left, map);
        say(
          `${mutant.id} ${mutant.outcome}: ${mutant.file}:${mutant.line} ${mutant.operator}${mutant.by === undefined ? "" : ` (${mutant.by})`}`,
        );
      }
    }),
  );
}
