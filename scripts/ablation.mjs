// npm run ablation: switches each guard off alone and runs its tests, which must fail. `-- WORDS` runs the guards that have them.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { GUARDS } from "./lib/guards/index.mjs";
import { collect, node24, root, say, toolEnvironment } from "./lib/toolchain.mjs";

const AT_ONCE = 2;
const wanted = process.argv.slice(2).join(" ").toLowerCase();
const guards = GUARDS.filter(({ id }) => id.toLowerCase().includes(wanted));
const folder = mkdtempSync(join(tmpdir(), "margay-ablation-"));
const queue = guards.entries();
const outcomes = new Map();
try {
  await Promise.all(Array.from({ length: AT_ONCE }, work));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const bad = guards.filter(({ id }) => outcomes.get(id) === undefined);
for (const { id } of guards)
  process.stdout.write(
    `${outcomes.has(id) ? "missed" : "NOT MISSED"}  ${id}\n        ${outcomes.get(id) ?? "no test fails without it"}\n`,
  );
process.stdout.write(`guards: ${guards.length - bad.length} passed, ${bad.length} failed\n`);
process.exitCode = bad.length > 0 || guards.length === 0 ? 1 : 0;

async function work() {
  for (const [index, guard] of queue) {
    const failed = await firstFailure(guard, join(folder, `${index}.json`));
    if (failed !== undefined) outcomes.set(guard.id, failed);
    say(`${failed === undefined ? "✗" : "✓"} ${guard.id}`);
  }
}

/** The first test that notices. The rest of its file need not run. */
async function firstFailure({ id, file, find, replace, tests }, report) {
  const source = readFileSync(join(root, file), "utf8");
  if (source.split(find).length !== 2) throw new Error(`${id}: ${file} must hold this exactly once: ${find}`);
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = [
    vitest,
    "run",
    `--config=${join(root, "scripts/lib/ablation.config.mjs")}`,
    "--bail=1",
    "--maxWorkers=1",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...tests,
  ];
  const env = toolEnvironment({ MARGAY_ABLATION: JSON.stringify({ file: join(root, file), find, replace }) });
  const { code, output } = await collect(node24(), args, { env });
  if (code === 0) return undefined;
  try {
    const results = JSON.parse(readFileSync(report, "utf8")).testResults.flatMap((each) => each.assertionResults);
    const failed = results.find(({ status }) => status === "failed");
    if (failed !== undefined) return failed.fullName;
  } catch {
    // no report: see below
  }
  throw new Error(`${id}: the tests did not run.\n${output.slice(-2000)}`);
}
