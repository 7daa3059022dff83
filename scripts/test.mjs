// npm test: installs what the tests need, builds, runs everything, ends with `N passed, N failed`. What failed of a whole run gets a
// second attempt, and is named when that one passes (decision 0037).
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

import { findIn, listener, plant, searchBelow } from "./lib/planted.mjs";
import { prepare } from "./lib/prepare.mjs";
import { failuresOf, withSecondAttempt } from "./lib/second-attempt.mjs";
import { missingTools, installTools } from "./lib/system-tools.mjs";
import { inherit, node24, root, say, toolEnvironment } from "./lib/toolchain.mjs";

/** Each holds a figure to a bound: what runs beside it would be counted as its own. */
const MEASURED = ["browser/speed", "plugins/delays", "plugins/start"].map(
  (name) => `packages/app/test/${name}.test.ts`,
);

const args = process.argv.slice(2);
// They come last, alone.
const GROUPS = [MEASURED.flatMap((file) => ["--exclude", file]), ["--maxWorkers=1", ...MEASURED]];
process.exitCode = (await installTools(missingTools())) && (await prepare()) ? await test() : 1;

async function test() {
  const folder = mkdtempSync(join(tmpdir(), "margay-test-"));
  chmodSync(folder, 0o711); // some tests run a program as a user without rights
  // Beside the temporary folder: nothing in there may hold what the log quotes.
  const log = `${folder}.planted`;
  const { mark, environment } = plant();
  const said = listener(mark);
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const run = async (report, more) => {
    let unhandled = false;
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const code = await inherit(node24(), [vitest, "run", ...reporters, ...args, ...more], {
      stdin: "ignore",
      env: toolEnvironment({
        ...environment,
        TMPDIR: folder, // whatever a test leaves behind goes with the folder
        MARGAY_PLANTED_MARK: mark,
        MARGAY_PLANTED_FOLDER: folder,
        MARGAY_PLANTED_LOG: log,
      }),
      heard(bytes) {
        said.hear(bytes);
        unhandled ||= bytes.includes("Unhandled Error");
      },
    });
    return { code, unhandled: unhandled || args.length > 0 };
  };
  try {
    const { code, files, second } = await withSecondAttempt(run, folder, args.length === 0 ? GROUPS : undefined);
    for (const name of second) process.stdout.write(`needed a second attempt: ${relative(root, name)}\n`);
    return conclude(code, files, [...leaks({ folder, log, mark }), ...said.found]);
  } catch (error) {
    say(`There is no test report (${error.message}).`);
    process.stdout.write("0 passed, 1 failed\n");
    return 1;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    rmSync(log, { force: true });
  }
}

/**
 * Where the secrets that the run was given are found: in what tests removed, in what they left, and in what they reported.
 * @returns one line each.
 */
function leaks({ folder, log, mark }) {
  const removed = readFileSync(log, { encoding: "utf8", flag: "a+" })
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const left = searchBelow(folder, mark);
  const all = [...removed, left];
  const sum = (name) => all.reduce((total, one) => total + one[name], 0);
  const hits = all.flatMap((one) => one.hits);
  say(
    `planted secrets: ${removed.length} folders of tests and what was left, ${sum("files")} files, ${Math.round(sum("bytes") / 1e6)} MB searched, ${hits.length} found`,
  );
  // A search that finds nothing has to find what is there.
  if (findIn(Buffer.from(Buffer.from(`x${mark}`).toString("base64")), mark).length === 0)
    return ["the search is broken"];
  return hits.map(
    ({ path, form, test }) => `a planted secret (${form}) is in ${path}${test === undefined ? "" : `: ${test}`}`,
  );
}

/** @param found Planted secrets. A skip is a promise nobody checked: allowed for tests that need a real vendor account, and when a filter asked for it. */
function conclude(code, testResults, found) {
  const tests = testResults.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === "passed").length;
  const skipped = tests.filter((test) => test.status !== "passed" && test.status !== "failed");
  let failed = testResults.flatMap(failuresOf).length;
  const filtered = args.some((arg) => /^(-t|--testNamePattern|--tags)/.test(arg));
  const unexplained = filtered ? [] : skipped.filter((test) => !test.fullName.includes("[live]"));
  for (const test of unexplained) say(`skipped, which counts as a failure: ${test.fullName}`);
  if (code !== 0 && failed === 0) {
    say(`vitest ended with code ${code} although no test failed: see the errors above.`);
    failed = 1;
  }
  for (const line of found) say(line);
  if (found.length > 0) failed += 1;
  process.stdout.write(
    `${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}\n`,
  );
  return failed > 0 || unexplained.length > 0 ? 1 : 0;
}
