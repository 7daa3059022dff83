// npm run bench: margay's built bundle and the floors in one run, then the tables; with --gates the limits instead.
// Arguments go to the kit.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { prepare } from "./lib/prepare.mjs";
import { inherit, node24, root } from "./lib/toolchain.mjs";

const kit = (name) => join(root, "bench", name);
const run = (name, ...args) => inherit(node24(), [kit(name), ...args]);
const args = process.argv.slice(2);

process.exitCode = (await prepare()) ? await (args.includes("--gates") ? gates() : measure()) : 1;

function gates() {
  return run("gates.mjs", "--node", node24(), ...args.filter((arg) => arg !== "--gates"));
}

async function measure() {
  const out = join(mkdtempSync(join(tmpdir(), "margay-bench-")), "results.jsonl");
  return (await run("run.mjs", "--node", node24(), "--out", out, ...args)) || (await run("report.mjs", out));
}
