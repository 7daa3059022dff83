// The other end of tests.mjs. A message `{ files, only?, off?: { file, find, replace } }` is answered by `{ results, errors }`.
import { createVitest } from "vitest/node";

/** Many of these tests fail by waiting for what does not come, and pass in a fraction of this; one alone has nobody before it. */
const ALL_MS = 60_000;
const ONLY_MS = 20_000;

let off;
let isMet = false;
// What is kept between runs must not hold what was left out.
const fsModuleCache = false;
const options = {
  root: process.cwd(),
  watch: false,
  bail: 1,
  maxWorkers: 1,
  reporters: [{}],
  fsModuleCache,
  testTimeout: ALL_MS,
  expect: { poll: { timeout: 15_000 } },
};
const vitest = await createVitest("test", options, {
  plugins: [
    {
      name: "without",
      enforce: "pre",
      transform(code, id) {
        if (id !== off?.file) return undefined;
        isMet = true;
        return code.replace(off.find, () => off.replace);
      },
    },
  ],
});
process.on("message", (request) => {
  run(request).then(
    (answer) => process.send(answer),
    (error) => process.send({ results: [], errors: [String(error.stack ?? error)] }),
  );
});
process.once("disconnect", () => vitest.close().finally(() => process.exit()));
process.send("ready");

async function run({ files, only, off: without }) {
  off = without;
  isMet = false;
  if (off !== undefined) vitest.invalidateFile(off.file);
  try {
    for (const { config } of vitest.projects) config.testTimeout = only === undefined ? ALL_MS : ONLY_MS;
    if (only === undefined) vitest.resetGlobalTestNamePattern();
    else vitest.setGlobalTestNamePattern(patternOf(only));
    const specifications = await vitest.globTestSpecifications(files);
    if (specifications.length === 0) throw new Error(`There is no such test: ${files.join(", ")}`);
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    if (off !== undefined && !isMet) throw new Error(`${files.join(", ")} never came to ${off.file}`);
    const ran = new Set(specifications.map(({ moduleId }) => moduleId));
    const modules = testModules.filter(({ moduleId }) => ran.has(moduleId)); // the others are of earlier runs
    return {
      results: modules.map((module) => ({
        file: module.relativeModuleId,
        passed: module.state() === "passed",
        failed: [...module.children.allTests("failed")].map(({ fullName }) => fullName),
        errors: module.errors().map(textOf),
      })),
      errors: unhandledErrors.map(textOf),
    };
  } finally {
    if (off !== undefined) vitest.invalidateFile(off.file); // whole again for the next
  }
}

/** The runner joins what a test is called below with spaces. */
function patternOf(fullName) {
  return new RegExp(`^${RegExp.escape(fullName.replaceAll(" > ", " "))}$`);
}

function textOf(error) {
  return String(error?.stack ?? error?.message ?? error);
}
