// node bench/sandbox.mjs: what the sandbox adds to a command, plain and confined in turn; the limit is 30 ms (median).
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { root as repository } from "../scripts/lib/toolchain.mjs";

const ROUNDS = Number(process.argv[2] ?? 60);
const REPOSITORIES = Number(process.argv[3] ?? 20);
const { createSandbox } = await import(
  pathToFileURL(join(repository, "packages/core/src/machine/sandbox/create-sandbox.ts")).href
);

const root = realpathSync(mkdtempSync(join(tmpdir(), "margay-bench-")));
const [workspace, state] = [join(root, "workspace"), join(root, "state")];
for (const path of [workspace, state]) mkdirSync(path);
// A workspace as people have them: some repositories, some thousand files.
for (let index = 0; index < REPOSITORIES; index += 1) {
  const folder = join(workspace, `project-${index}`);
  for (const name of [".git/hooks", ".git/objects", "src/a/b", "test"])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of [".git/HEAD", ".git/config"]) writeFileSync(join(folder, name), "");
  for (let file = 0; file < 100; file += 1) writeFileSync(join(folder, `src/${file}.txt`), "");
}

const sandbox = createSandbox({ mode: "required", workspace, state, searchPath: process.env.PATH ?? "" });
const tested = timed(() => sandbox.status());
const status = await tested.value;
if (!status.ok) throw new Error(status.reason);
const testMs = await tested.ms;

const plain = [];
const confined = [];
const wrapped = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const first = performance.now();
  spawnSync("/bin/bash", ["-c", "true"]);
  const second = performance.now();
  const request = {
    workspace,
    directory: workspace,
    argv: ["/bin/bash", "-c", "true"],
    environment: { PATH: "/usr/bin:/bin" },
  };
  const command = await sandbox.wrap(request);
  const third = performance.now();
  const { status: code } = spawnSync(command.argv[0], command.argv.slice(1), { env: command.environment });
  if (code !== 0) throw new Error(`the confined command ended with ${code}`);
  (await sandbox.hold(command.lease, 0))[Symbol.dispose]();
  plain.push(second - first);
  wrapped.push(third - second);
  confined.push(performance.now() - second);
}
rmSync(root, { recursive: true, force: true });

const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];
const cost = median(confined) - median(plain);
for (const [name, ms] of [
  ["plain command, median", median(plain)],
  ["confined command, median", median(confined)],
  ["  of it wrap", median(wrapped)],
  ["cost of the sandbox", cost],
  ["self-test, once", testMs],
])
  process.stdout.write(`${name.padEnd(28)} ${ms.toFixed(1).padStart(7)} ms\n`);
process.exitCode = cost <= 30 ? 0 : 1;

function timed(work) {
  const start = performance.now();
  const value = work();
  return { value, ms: value.then(() => performance.now() - start) };
}
