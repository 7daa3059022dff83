// npm run ablation: switches each guard off alone; its tests pass with it and must fail without. `-- WORDS` runs the guards that
// have them; `--proven`: the tests have just passed with every guard on, and are not run for that again.
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { GUARDS } from "./lib/guards/index.mjs";
import { collect, node24, root, say, toolEnvironment } from "./lib/toolchain.mjs";

const AT_ONCE = 2;
const proven = process.argv.includes("--proven");
const wanted = process.argv
  .slice(2)
  .filter((word) => word !== "--proven")
  .join(" ")
  .toLowerCase();
const guards = GUARDS.filter(({ id }) => id.toLowerCase().includes(wanted));
const folder = mkdtempSync(join(tmpdir(), "margay-ablation-"));
const queue = guards.values();
/** Of each test file once, with no guard off. */
const intact = new Map();
const outcomes = new Map();
try {
  await Promise.all(Array.from({ length: AT_ONCE }, work));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
let passed = 0;
for (const { id } of guards) {
  const { missed, text } = outcomes.get(id);
  if (missed) passed += 1;
  process.stdout.write(`${missed ? "missed" : "NOT MISSED"}  ${id}\n        ${text}\n`);
}
process.stdout.write(`guards: ${passed} passed, ${guards.length - passed} failed\n`);
process.exitCode = passed < guards.length || guards.length === 0 ? 1 : 0;

async function work() {
  for (const guard of queue) {
    const outcome = await tryWithout(guard);
    outcomes.set(guard.id, outcome);
    say(`${outcome.missed ? "✓" : "✗"} ${guard.id}`);
  }
}

/** A test that fails with every guard on notices nothing: its environment is broken. */
async function tryWithout({ id, file, find, replace, tests }) {
  const source = readFileSync(join(root, file), "utf8");
  if (source.split(find).length !== 2) throw new Error(`${id}: ${file} must hold this exactly once: ${find}`);
  for (const test of proven ? [] : tests) {
    if (!intact.has(test)) intact.set(test, firstFailure([test], {}));
    const anyway = await intact.get(test);
    if (anyway !== undefined) return { missed: false, text: `fails with every guard on: ${anyway}` };
  }
  const failed = await firstFailure(tests, { file: join(root, file), find, replace });
  return { missed: failed !== undefined, text: failed ?? "no test fails without it" };
}

/** The first test that fails; the rest of its file need not run. */
async function firstFailure(tests, ablation) {
  const report = join(folder, `${randomUUID()}.json`);
  const args = [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    `--config=${join(root, "scripts/lib/ablation.config.mjs")}`,
    "--bail=1",
    "--maxWorkers=1",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...tests,
  ];
  const env = toolEnvironment({ MARGAY_ABLATION: JSON.stringify(ablation) });
  const { code, output } = await collect(node24(), args, { env });
  if (code === 0) return undefined;
  try {
    const results = JSON.parse(readFileSync(report, "utf8")).testResults.flatMap((each) => each.assertionResults);
    const failed = results.find(({ status }) => status === "failed");
    if (failed !== undefined) return failed.fullName;
  } catch {
    // no report: see below
  }
  throw new Error(`${tests.join(", ")} did not run (${ablation.find ?? "every guard on"}).\n${output.slice(-2000)}`);
}
