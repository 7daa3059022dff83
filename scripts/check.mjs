// npm run check: types, lint, format, layers, dead code. Two at a time, one line each, everything that is wrong at once.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { collect, node24, root, toolEnvironment } from "./lib/toolchain.mjs";

if (!existsSync(join(root, "node_modules/.bin/tsc"))) {
  process.stderr.write("The checkout has no node_modules yet. Run: npm ci\n");
  process.exit(1);
}

const checks = [
  ["types", "tsc", ["-p", "."]],
  ["types of core", "tsc", ["-p", "packages/core"]],
  ["types of web", "tsc", ["-p", "packages/app/tsconfig.web.json"]],
  ["types of browser tests", "tsc", ["-p", "packages/app/test/browser"]],
  ["lint", "oxlint", ["--type-aware", "--deny-warnings"]],
  ["layers", "node", ["scripts/check-layers.mjs"]],
  ["house", "node", ["scripts/check-house.mjs"]],
  ["dead code", "knip", []],
  ["format", "oxfmt", ["--check"]],
];

const env = toolEnvironment({ NO_COLOR: "1", FORCE_COLOR: "0" });
const results = [];
const queue = [...checks];
await Promise.all(
  [1, 2].map(async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [name, tool, args] = next;
      const { code, output, ms } = await collect(
        tool === "node" ? node24() : join(root, "node_modules/.bin", tool),
        args,
        {
          env,
        },
      );
      const ok = code === 0;
      results.push(ok);
      process.stdout.write(`${ok ? "ok    " : "FAILED"} ${name.padEnd(10)} ${(ms / 1000).toFixed(1).padStart(5)} s\n`);
      if (!ok) process.stdout.write(`${stripVTControlCharacters(output).trimEnd().replace(/^/gm, "    ")}\n`);
    }
  }),
);
const failed = results.filter((ok) => !ok).length;
process.stdout.write(`checks: ${results.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
