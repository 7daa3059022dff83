// npm run bench: margay's built bundle and the floors in one run, then the tables; with --gates the limits instead, with the name of
// another program of the kit (`npm run bench -- growth`) that one. Arguments go to the kit.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { prepare } from "./lib/prepare.mjs";
import { inherit, node24, root } from "./lib/toolchain.mjs";

const kit = (name) => join(root, "bench", name);
const run = (name, ...args) => inherit(node24(), ["--conditions=margay-source", kit(name), ...args]);
const args = process.argv.slice(2);
/** What takes minutes, and says its own figures. */
const PROGRAMS = ["gateway", "growth", "labels", "lengths", "memory", "neighbors", "people", "sandbox", "undo"];
const [named = ""] = args;

process.exitCode = (await prepare()) ? await chosen() : 1;

function chosen() {
  if (PROGRAMS.includes(named)) return run(`${named}.mjs`, ...args.slice(1));
  if (named === "pages") return pages();
  return args.includes("--gates") ? gates() : measure();
}

function gates() {
  return run("gates.mjs", "--node", node24(), ...args.filter((arg) => arg !== "--gates"));
}

/** Opening and finding, in Chromium at a quarter of the speed: a test that tells what it measured. */
function pages() {
  const test = "packages/app/test/browser/speed.test.ts";
  return inherit(node24(), [join(root, "node_modules/vitest/vitest.mjs"), "run", test, "--disable-console-intercept"]);
}

async function measure() {
  const out = join(mkdtempSync(join(tmpdir(), "margay-bench-")), "results.jsonl");
  return (await run("run.mjs", "--node", node24(), "--out", out, ...args)) || (await run("report.mjs", out));
}
