// npm run ablation: switches each guard off alone; its tests pass with it and must fail without. `-- WORDS` runs the guards that
// have them; `--proven`: the tests have just passed with every guard on, and are not run for that again. `--write` notes which test
// missed each guard: it is tried first the next time, alone, and all of them when it does not miss it any more. `--new`: those alone
// of which nothing is noted yet.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { GUARDS } from "./lib/guards/index.mjs";
import { openTests } from "./lib/tests.mjs";
import { root, say } from "./lib/toolchain.mjs";

const AT_ONCE = 3;
const [proven, writes, newOnes] = ["--proven", "--write", "--new"].map((option) => process.argv.includes(option));
const MISSED_BY = join(root, "scripts/lib/guards/missed-by.json");
/** Id of the guard → `[file, full name of the test]`. */
const missedBy = JSON.parse(readFileSync(MISSED_BY, "utf8"));
const wanted = process.argv
  .slice(2)
  .filter((word) => !word.startsWith("--"))
  .join(" ")
  .toLowerCase();
const isNoted = ({ id, tests }) => tests.includes(missedBy[id]?.[0]);
const asked = GUARDS.filter((guard) => guard.id.toLowerCase().includes(wanted) && !(newOnes && isNoted(guard)));
/** What margay does only as root nobody else can see missing: `root: true`. */
const guards = asked.filter((guard) => guard.root !== true || process.getuid?.() === 0);
const queue = guards.values();
/** Of each test file once, with no guard off. */
const intact = new Map();
const outcomes = new Map();
await Promise.all(Array.from({ length: AT_ONCE }, work));
let passed = 0;
for (const { id } of guards) {
  const { missed, text } = outcomes.get(id);
  if (missed) passed += 1;
  process.stdout.write(`${missed ? "missed" : "NOT MISSED"}  ${id}\n        ${text}\n`);
}
if (writes) {
  const found = guards.flatMap(({ id }) => {
    const { failed } = outcomes.get(id);
    return failed === undefined ? [] : [[id, [failed.file, failed.test]]];
  });
  const all = Object.entries({ ...missedBy, ...Object.fromEntries(found) });
  const known = new Set(GUARDS.map(({ id }) => id));
  const kept = all.filter(([id]) => known.has(id)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(MISSED_BY, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`); // npm run format makes it ours
}
const others = asked.length - guards.length;
process.stdout.write(
  `guards: ${passed} passed, ${guards.length - passed} failed${others > 0 ? ` (${others} more are about root, and only root sees them missing)` : ""}\n`,
);
process.exitCode = passed < guards.length || guards.length === 0 ? 1 : 0;

/** One after the other. */
async function work() {
  const tests = openTests();
  try {
    for (const guard of queue) {
      const started = performance.now();
      const outcome = await tryWithout(guard, tests);
      outcomes.set(guard.id, outcome);
      say(`${outcome.missed ? "✓" : "✗"} ${guard.id} ${Math.round(performance.now() - started)} ms`);
    }
  } finally {
    await tests.end();
  }
}

/** A test that fails with every guard on notices nothing: its environment is broken. */
async function tryWithout({ id, file, find, replace, tests: files }, tests) {
  const source = readFileSync(join(root, file), "utf8");
  if (source.split(find).length !== 2) throw new Error(`${id}: ${file} must hold this exactly once: ${find}`);
  for (const one of proven ? [] : files) {
    if (!intact.has(one)) intact.set(one, await firstFailure(tests, [one]));
    const anyway = intact.get(one);
    if (anyway !== undefined) return { missed: false, text: `fails with every guard on: ${anyway.test}` };
  }
  const off = { file: join(root, file), find, replace };
  const [first, only] = missedBy[id] ?? [];
  const failed =
    (files.includes(first) ? await firstFailure(tests, [first], { only, off }) : undefined) ??
    (await firstFailure(tests, files, { off }));
  return { missed: failed !== undefined, text: failed?.test ?? "no test fails without it", failed };
}

/** @returns undefined when none fails: of one test alone also when there is none of that name. */
async function firstFailure(tests, files, { only, off } = {}) {
  const { results, errors } = await tests.run(files, { only, off });
  for (const { file, failed } of results) if (failed.length > 0) return { file, test: failed[0] };
  if (only !== undefined) return undefined;
  if (errors.length === 0 && results.length > 0 && results.every(({ passed }) => passed)) return undefined;
  const all = [...results.flatMap((result) => result.errors), ...errors].join("\n");
  throw new Error(`${files.join(", ")} did not run (${off?.find ?? "every guard on"}).\n${all}`);
}
