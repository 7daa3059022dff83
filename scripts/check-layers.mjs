// Part of npm run check: the dependency rules, and proof that they saw every source file.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";

import { Visitor } from "@swc/core/Visitor.js";

import configuration from "../.dependency-cruiser.mjs";
import { filesBelow } from "./lib/freshness.mjs";
import { root } from "./lib/toolchain.mjs";

// swc parses `using` declarations, but the visitor dependency-cruiser takes from it has not heard of them and throws.
const visitStatement = Visitor.prototype.visitStatement;
Visitor.prototype.visitStatement = function (statement) {
  if (statement.type !== "UsingDeclaration") return visitStatement.call(this, statement);
  this.visitVariableDeclarators(statement.decls);
  return statement;
};

// Nor does it tell swc that a file holds JSX. What is changed before dependency-cruiser is imported is what it gets.
const swc = createRequire(import.meta.url)("@swc/core");
const { parseFileSync } = swc;
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith(".tsx") });
const { cruise } = await import("dependency-cruiser");

// The tree to look at: this checkout, or one that a test planted mistakes in.
const tree = process.argv[2] ?? root;
process.chdir(tree);
const expected = ["packages", "plugins"]
  .filter(existsSync)
  .flatMap((parent) => readdirSync(parent).flatMap((name) => filesBelow(join(tree, parent, name, "src"))))
  .map((file) => relative(tree, file))
  .filter((file) => /\.tsx?$/.test(file));

const { options, forbidden } = configuration;
const { output } = await cruise(["packages", "plugins", "examples"].filter(existsSync), {
  ...options,
  ruleSet: { forbidden },
  validate: true,
});
// What breaks the rules about rooms since the move, one line each until it is cut. Nobody adds one.
const list = join(tree, "scripts/lib/house/to-cut.txt");
const toCut = new Set(existsSync(list) ? readFileSync(list, "utf8").split("\n").filter(Boolean) : []);
const edgeOf = ({ from, to }) => `${from} → ${to}`;
const isToCut = (violation) => /^(?:core|app)-/.test(violation.rule.name) && toCut.has(edgeOf(violation));
const [known, violations] = [true, false].map((is) => output.summary.violations.filter((one) => isToCut(one) === is));
const cut = [...toCut].filter((edge) => !known.some((one) => edgeOf(one) === edge));
const seen = new Set(output.modules.map((module) => module.source));
const missed = expected.filter((file) => !seen.has(file));

for (const { from, to, rule } of violations) {
  const comment = forbidden.find(({ name }) => name === rule.name)?.comment ?? "";
  process.stdout.write(`${from} → ${to}\n    ${rule.name}: ${comment}\n`);
}
for (const edge of cut)
  process.stdout.write(`${edge}\n    is cut: take its line out of scripts/lib/house/to-cut.txt\n`);
if (missed.length > 0) {
  process.stdout.write(
    `${missed.length} of ${expected.length} source files were not seen by dependency-cruiser, ${missed[0]} first. Its parser is not working.\n`,
  );
}
process.stdout.write(`${seen.size} modules cruised, ${expected.length} source files\n`);
process.exitCode = missed.length > 0 || expected.length === 0 || violations.length + cut.length > 0 ? 1 : 0;
