// Part of npm run check: the dependency rules, who names files of the state directory, and proof that every source file was seen.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

import { filesBelow } from "./lib/freshness.mjs";
import { layers } from "./lib/graph/layers.mjs";
import { readGraph } from "./lib/graph/read.mjs";
import { violations as violationsOf } from "./lib/graph/rules.mjs";
import { strayNames, unusedLeaves } from "./lib/graph/state-files.mjs";
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
const sources = expected.map((path) => ({ path, text: readFileSync(path, "utf8") }));
const stray = strayNames(sources);
const unused = tree === root ? unusedLeaves(sources) : [];
const missed = expected.filter((file) => !seen.has(file));

for (const { from, to, rule } of violations) {
  process.stdout.write(`${from} → ${to}\n    ${rule.name}: ${rule.comment}\n`);
}
for (const { path, line, text, what } of stray) {
  process.stdout.write(
    `${path}:${line} names ${JSON.stringify(text)}\n    state-files: ${what} are reached through the store.\n`,
  );
}
for (const leave of unused) process.stdout.write(`${leave}: nobody names it there. Take the row out.\n`);
if (missed.length > 0) {
  process.stdout.write(`${missed.length} of ${expected.length} source files were not seen, ${missed[0]} first.\n`);
}
process.stdout.write(`${seen.size} modules cruised, ${expected.length} source files\n`);
process.exitCode =
  missed.length > 0 || expected.length === 0 || violations.length + stray.length + unused.length > 0 ? 1 : 0;
