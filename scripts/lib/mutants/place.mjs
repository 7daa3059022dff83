// Where changes are tried: copies of the checkout, each with a switch file. The checkout itself stays as it is.
import { spawn } from "node:child_process";
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

/**
 * Runs test files of a copy. Whoever does not end in `limit` is ended with all its children.
 * @returns of each file whether it passed, how long it took and its first failure; `hung` when the limit ended it.
 */
export async function runTests(folder, files, { on = [], limit, bail = false, isolate = false, setup }) {
  writeFileSync(switchFile(folder), on.join(","));
  const report = join(folder, ".report.json");
  writeFileSync(report, "");
  const args = [
    join(folder, "node_modules/vitest/vitest.mjs"),
    "run",
    "--maxWorkers=1",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...(bail ? ["--bail=1"] : []),
    ...(isolate ? ["--isolate"] : []),
    ...(setup === undefined ? [] : [`--config=${setup}`]),
    ...files,
  ];
  const { hung, code, output } = await bounded(node24(), args, folder, limit);
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
  // A rejection that nobody handles fails the run and none of its files.
  if (code !== 0 && results.size > 0 && [...results.values()].every(({ passed }) => passed))
    results.set("outside of any test", { passed: false, ms: 0, failure: output.slice(-200) });
  return { hung, results, output };
}

function bounded(command, args, cwd, limit) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: toolEnvironment({ CI: "1" }),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // with a group of its own, which is ended as a whole
    });
    let output = "";
    let hung = false;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output = (output + text).slice(-20_000)));
    const timer = setTimeout(() => {
      hung = true;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, limit);
    child.on("error", reject);
    child.on("exit", (code) => {
      clearTimeout(timer);
      resolve({ hung, code, output });
    });
  });
}
