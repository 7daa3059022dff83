// Part of npm run check: the dependency rules, and proof that they saw every source file.
import { existsSync, readFileSync, readdirSync } from "node:fs";
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
// What breaks the rules about rooms since the move, one line each until it is cut. Nobody adds one.
const list = join(tree, "scripts/lib/house/to-cut.txt");
const toCut = new Set(existsSync(list) ? readFileSync(list, "utf8").split("\n").filter(Boolean) : []);
const found = violationsOf(graph, layers);
const edgeOf = ({ from, to }) => `${from} → ${to}`;
const isToCut = (violation) => /^(?:core|app)-/.test(violation.rule.name) && toCut.has(edgeOf(violation));
const [known, violations] = [true, false].map((is) => found.filter((one) => isToCut(one) === is));
const cut = [...toCut].filter((edge) => !known.some((one) => edgeOf(one) === edge));
const seen = new Set([...graph].flatMap(([file, imports]) => [file, ...imports.map(({ to }) => to)]));
const missed = expected.filter((file) => !seen.has(file));

for (const { from, to, rule } of violations) {
  process.stdout.write(`${from} → ${to}\n    ${rule.name}: ${rule.comment}\n`);
}
for (const edge of cut)
  process.stdout.write(`${edge}\n    is cut: take its line out of scripts/lib/house/to-cut.txt\n`);
if (missed.length > 0) {
  process.stdout.write(`${missed.length} of ${expected.length} source files were not seen, ${missed[0]} first.\n`);
}
process.stdout.write(`${seen.size} modules cruised, ${expected.length} source files\n`);
process.exitCode = missed.length > 0 || expected.length === 0 || violations.length + cut.length > 0 ? 1 : 0;
