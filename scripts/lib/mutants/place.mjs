// Where changes are tried: copies of the checkout, each with a switch file. The checkout itself stays as it is.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { collect, node24, root, toolEnvironment } from "../toolchain.mjs";

/** What is on, read once by each process that meets a change. */
const ON = (file) =>
  `function mutantIsOn(id) { const g = globalThis; let on = g[Symbol.for("margay.mutants")]; if (on === undefined) { on = new Set(); try { for (const one of g.process.getBuiltinModule("node:fs").readFileSync(${JSON.stringify(file)}, "utf8").split(",")) on.add(one); } catch {} g[Symbol.for("margay.mutants")] = on; } return on.has(id); }`;
/** What a process reached, each function once, into a file that all processes of a test run share. */
const REACHED = (file) =>
  `function mutantReach(id) { const g = globalThis; const seen = (g[Symbol.for("margay.reached")] ??= new Set()); if (seen.has(id)) return; seen.add(id); try { g.process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(file)}, id + "\\n"); } catch {} }`;

export async function makeCopy(folder) {
  const { code, output } = await collect("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  if (code !== 0) throw new Error(output);
  for (const file of output.split("\0").filter((name) => name !== "" && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  linkModules(join(root, "node_modules"), join(folder, "node_modules"), ["@margay"]);
  mkdirSync(join(folder, "node_modules/@margay"));
  for (const name of readdirSync(join(root, "node_modules/@margay"))) {
    const target = ["packages", "plugins"].find((kind) => existsSync(join(root, kind, name)));
    symlinkSync(`../../${target}/${name}`, join(folder, "node_modules/@margay", name));
  }
  for (const name of readdirSync(join(root, "packages"))) {
    const own = join("packages", name, "node_modules");
    if (existsSync(join(root, own))) linkModules(join(root, own), join(folder, own), []);
  }
  return folder;
}

function linkModules(from, to, except) {
  mkdirSync(to, { recursive: true });
  // Entries with a dot are caches, which a copy makes for itself; the programs of `.bin` are the same.
  for (const name of readdirSync(from))
    if ((!name.startsWith(".") || name === ".bin") && !except.includes(name))
      symlinkSync(join(from, name), join(to, name));
}

/** Writes sources of the copy with changes behind the switch, and builds it. `edits`: file → `{ start, end, text }`, which do not overlap. */
export async function rebuild(folder, edits, kind) {
  for (const [file, list] of edits) {
    let source = readFileSync(join(root, file), "utf8");
    for (const { start, end, text } of list.toSorted((a, b) => b.start - a.start || b.end - a.end))
      source = source.slice(0, start) + text + source.slice(end);
    const helper = kind === "reach" ? REACHED(reachFile(folder)) : ON(switchFile(folder));
    writeFileSync(join(folder, file), `${source}${helper}\n`);
  }
  const { code, output } = await collect(node24(), ["scripts/build.mjs", "--force", "--any-size"], { cwd: folder });
  if (code !== 0) throw new Error(`The copy with the changes could not be built.\n${output.slice(-3000)}`);
}

export const switchFile = (folder) => join(folder, ".switch");
export const reachFile = (folder) => join(folder, ".reached");

export function switchOn(folder, id) {
  writeFileSync(switchFile(folder), id);
}

/**
 * Runs test files of a copy, each in a process of its own, with a configuration of vitest.
 * @returns of each file whether it passed, how long it took and its first failure, and what was printed.
 */
export async function runTests(folder, files, setup) {
  const report = join(folder, ".report.json");
  writeFileSync(report, "");
  const args = [
    join(folder, "node_modules/vitest/vitest.mjs"),
    "run",
    "--maxWorkers=1",
    "--reporter=json",
    `--outputFile.json=${report}`,
    "--isolate",
    `--config=${setup}`,
    ...files,
  ];
  const { output } = await collect(node24(), args, { cwd: folder, env: toolEnvironment({ CI: "1" }) });
  const results = new Map();
  try {
    for (const { name, startTime, endTime, status, message, assertionResults } of JSON.parse(
      readFileSync(report, "utf8"),
    ).testResults) {
      const failed = assertionResults.find((one) => one.status === "failed");
      results.set(name.slice(folder.length + 1), {
        passed: status === "passed" && failed === undefined,
        ms: endTime - startTime,
        failure: failed?.fullName ?? (message || "the file did not run"),
      });
    }
  } catch {
    // ended before it wrote one
  }
  return { results, output };
}
