// npm test: installs what the tests need, builds, runs everything, ends with `N passed, N failed`.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { prepare } from "./lib/prepare.mjs";
import { missingTools, installTools } from "./lib/system-tools.mjs";
import { inherit, node24, root, say, toolEnvironment } from "./lib/toolchain.mjs";

const args = process.argv.slice(2);
process.exitCode = (await installTools(missingTools())) && (await prepare()) ? await test() : 1;

async function test() {
  const folder = mkdtempSync(join(tmpdir(), "margay-test-"));
  chmodSync(folder, 0o711); // some tests run a program as a user without rights
  const report = join(folder, "report.json");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  try {
    const code = await inherit(node24(), [vitest, "run", ...reporters, ...args], {
      stdin: "ignore",
      env: toolEnvironment({ TMPDIR: folder }), // whatever a test leaves behind goes with the folder
    });
    return conclude(code, JSON.parse(readFileSync(report, "utf8")));
  } catch (error) {
    say(`There is no test report (${error.message}).`);
    process.stdout.write("0 passed, 1 failed\n");
    return 1;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A skip is a promise nobody checked: allowed for tests that need a real vendor account, and when a filter asked for it. */
function conclude(code, { testResults }) {
  const tests = testResults.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === "passed").length;
  const skipped = tests.filter((test) => test.status !== "passed" && test.status !== "failed");
  const broken = testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  let failed = tests.filter((test) => test.status === "failed").length + broken.length;
  const filtered = args.some((arg) => /^(-t|--testNamePattern|--tags)/.test(arg));
  const unexplained = filtered ? [] : skipped.filter((test) => !test.fullName.includes("[live]"));
  for (const test of unexplained) say(`skipped, which counts as a failure: ${test.fullName}`);
  if (code !== 0 && failed === 0) {
    say(`vitest ended with code ${code} although no test failed: see the errors above.`);
    failed = 1;
  }
  process.stdout.write(
    `${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}\n`,
  );
  return failed > 0 || unexplained.length > 0 ? 1 : 0;
}
