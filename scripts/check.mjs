// npm run check: types and lint, declarations, layers, the house, dead code, format. Two at a time, one line each, everything
// that is wrong at once. No caches: a fresh clone takes as long as the next run. A folder: another tree; words: those checks alone.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { collect, node24, root, toolEnvironment } from "./lib/toolchain.mjs";

/** Seconds of CPU that all checks may take together (docs/decisions/0045-check-time.md). */
const CPU_BOUND = 110;

if (!existsSync(join(root, "node_modules/.bin/tsc"))) {
  process.stderr.write("The checkout has no node_modules yet. Run: npm ci\n");
  process.exit(1);
}

const [folder, ...words] = process.argv.slice(2);
const tree = resolve(folder ?? root);
const script = (name) => ["node", [join(root, "scripts", name), ...(tree === root ? [] : [tree])]];

// One program finds the errors of types and asks the same types for the lint. Pages and browser tests are programs of their own,
// because they alone have a DOM: on the second core.
const inPages = ["packages/app/src/web", "packages/app/test/web", "packages/app/test/browser"];
const pages = globSync([...inPages, "packages/app/src/features/*/page"], { cwd: tree });
const lint = ["--type-aware", "--type-check", "--deny-warnings"];

// The longest first.
const checks = [
  [
    "types, lint",
    "oxlint",
    [...lint, ...[...inPages, "packages/app/src/features/*/page"].map((path) => `--ignore-pattern=${path}/**`)],
  ],
  ["… of pages", "oxlint", [...lint, ...pages]],
  ["dead code", "knip", []],
  ["layers", ...script("check-layers.mjs")],
  ["declarations", "tsc", ["-p", "packages/core/tsconfig.declarations.json"]],
  ["format", "oxfmt", ["--check"]],
  ["house", ...script("check-house.mjs")],
].filter(([name]) => words.length === 0 || words.includes(name));

// Go collects garbage as if memory were scarce: a third of the time of types. Up to two gigabytes it need not.
const env = toolEnvironment({ NO_COLOR: "1", FORCE_COLOR: "0", GOGC: "off", GOMEMLIMIT: "2GiB" });
const results = [];
const queue = [...checks];
const started = performance.now();
await Promise.all(
  [1, 2].map(async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [name, tool, args] = next;
      const command = tool === "node" ? node24() : join(root, "node_modules/.bin", tool);
      const { code, output, ms } = await collect(command, args, { env, cwd: tree });
      const ok = code === 0;
      results.push(ok);
      process.stdout.write(`${ok ? "ok    " : "FAILED"} ${name.padEnd(12)} ${seconds(ms / 1000)}\n`);
      if (!ok) process.stdout.write(`${stripVTControlCharacters(output).trimEnd().replace(/^/gm, "    ")}\n`);
    }
  }),
);
const cpu = childrenCpu();
const within = cpu === undefined || cpu <= CPU_BOUND;
results.push(within);
process.stdout.write(
  `${within ? "ok    " : "FAILED"} ${"time".padEnd(12)} ${seconds((performance.now() - started) / 1000)}${cpu === undefined ? "" : `, ${cpu.toFixed(1)} s of CPU of at most ${CPU_BOUND}`}\n`,
);
const failed = results.filter((ok) => !ok).length;
process.stdout.write(`checks: ${results.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function seconds(value) {
  return `${value.toFixed(1).padStart(5)} s`;
}

/** CPU seconds of all processes that ended; Linux alone tells (in hundredths of a second). */
function childrenCpu() {
  if (!existsSync("/proc/self/stat")) return undefined;
  const [user, system] = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ").slice(13, 15).map(Number);
  return (user + system) / 100;
}
