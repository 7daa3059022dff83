// Decision 0037: what failed in a whole run is tried once more when all else is done, and named when that attempt passes.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Of thousands of tests on a busy machine. More that fail are no accident, and a second attempt would hide what they share. */
const MAX_SECOND_ATTEMPTS = 4;

/**
 * @param run `(report, arguments)` → `code`, and `unhandled` when an error outside of any test was printed; those get no second attempt.
 * @param folder For the reports.
 * @param groups Arguments of each run of the first attempt, one run after the other.
 * @returns exit code of the last attempt, the results of each file, names of the tests that passed at their second attempt.
 */
export async function withSecondAttempt(run, folder, groups = [[]]) {
  const attempt = async (name, args) => {
    const report = join(folder, name);
    const { code, unhandled } = await run(report, args);
    return { code, unhandled, files: JSON.parse(readFileSync(report, "utf8")).testResults };
  };
  const first = { code: 0, unhandled: false, files: [] };
  for (const [number, args] of groups.entries()) {
    const { code, unhandled, files } = await attempt(`report-${number}.json`, args);
    first.code ||= code;
    first.unhandled ||= unhandled;
    first.files.push(...files);
  }
  const failed = first.files.filter(({ status }) => status === "failed");
  const names = failed.flatMap(failuresOf);
  if (names.length === 0 || names.length > MAX_SECOND_ATTEMPTS || first.unhandled) return { ...first, second: [] };
  const second = await attempt("second.json", ["--maxWorkers=1", ...failed.map(({ name }) => name)]);
  const stillFailing = new Set(second.files.flatMap(failuresOf));
  const looked = new Set(second.files.map(({ name }) => name));
  return {
    code: second.code,
    files: [...first.files.filter(({ name }) => !looked.has(name)), ...second.files],
    second: names.filter((name) => !stillFailing.has(name)),
  };
}

/** Names of the tests of a file that failed; the file itself where it did not get as far as its tests. */
export function failuresOf({ name, status, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === "failed");
  return status === "failed" && failed.length === 0 ? [name] : failed.map(({ fullName }) => `${name}: ${fullName}`);
}
