// Part of npm run check: the dependency rules, and proof that they saw every source file.
import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";

import { filesBelow } from "./lib/freshness.mjs";
import { layers } from "./lib/graph/layers.mjs";
import { readGraph } from "./lib/graph/read.mjs";
import { violations as violationsOf } from "./lib/graph/rules.mjs";
import { root } from "./lib/toolchain.mjs";

// The tree to look at: this checkout, or one that a test planted mistakes in.
const tree = process.argv[2] ?? root;
process.chdir(tree);
const expected = ["packages", "plugins"]
  .filter(existsSync)
  .flatMap((parent) => readdirSync(parent).flatMap((name) => filesBelow(join(tree, parent, name, "src"))))
  .map((file) => relative(tree, file))
  .filter((file) => /\.tsx?$/.test(file));

const graph = readGraph(tree, ["packages", "plugins", "examples"].filter(existsSync));
const violations = violationsOf(graph, layers);
const seen = new Set([...graph].flatMap(([file, imports]) => [file, ...imports.map(({ to }) => to)]));
const missed = expected.filter((file) => !seen.has(file));

for (const { from, to, rule } of violations) {
  process.stdout.write(`${from} → ${to}\n    ${rule.name}: ${rule.comment}\n`);
}
if (missed.length > 0) {
  process.stdout.write(`${missed.length} of ${expected.length} source files were not seen, ${missed[0]} first.\n`);
}
process.stdout.write(`${seen.size} modules cruised, ${expected.length} source files\n`);
process.exitCode = missed.length > 0 || expected.length === 0 || violations.length > 0 ? 1 : 0;
