// Part of npm run check: how well the house can be read, in numbers that may only fall. What they were is in scripts/lib/house/house.json.
// `--write` takes down what fell, and never what rose; `--show WORDS` names the places of those gauges; a folder: another tree, without its record.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

import { filesBelow } from "./lib/freshness.mjs";
import { gauges } from "./lib/house/gauges.mjs";
import { collect, root } from "./lib/toolchain.mjs";

const { values, positionals } = parseArgs({
  options: { write: { type: "boolean", default: false }, show: { type: "string" } },
  allowPositionals: true,
});
const tree = positionals[0] ?? root;
const record = join(tree, "scripts/lib/house/house.json");
const folders = ["packages", "plugins"].flatMap((kind) => sourcesIn(kind));
const sources = folders
  .flatMap((folder) => filesBelow(join(tree, folder)))
  .filter((path) => /\.(?:tsx?|css)$/.test(path))
  .map((path) => ({ path: relative(tree, path), text: readFileSync(path, "utf8") }));
const all = { ...gauges(sources), "functions of more than 80 lines": await longFunctions() };
/**
 * What no record may pass. The reading path grows by what an issue names, never unseen: this is what it held when the house was
 * rebuilt, with the old wires still beside the new ones, and what snapshots (decision 0090), long conversations (0092, 0095), cheap
 * rounds (0096) and the interfaces of a store (0093) need.
 */
const BOUNDS = { "lines of core's reading path": 16_250, "public names of core": 120 };
const known = existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : {};

let worse = 0;
for (const [name, { count, places }] of Object.entries(all)) {
  const was = known[name] ?? 0;
  process.stdout.write(`${String(count).padStart(6)}  ${name}\n`);
  if (values.show !== undefined && name.includes(values.show)) process.stdout.write(`${places.join("\n")}\n`);
  if (values.write) continue;
  const bound = BOUNDS[name];
  if (bound !== undefined ? count <= bound : count === was) continue;
  worse += 1;
  process.stdout.write(
    bound !== undefined
      ? `        It may be ${bound} at most. See: node scripts/check-house.mjs --show "${name}"\n`
      : count > was
        ? `        It was ${was} and may only fall. See: node scripts/check-house.mjs --show "${name}"\n`
        : `        It was ${was}: write down what you gained with node scripts/check-house.mjs --write\n`,
  );
}
if (values.write)
  writeFileSync(
    record,
    `${JSON.stringify(Object.fromEntries(Object.entries(all).map(([name, { count }]) => [name, name in BOUNDS ? count : Math.min(count, known[name] ?? 0)])), undefined, 2)}\n`,
  );
process.exitCode = worse > 0 || sources.length === 0 ? 1 : 0;

/** Of each package or plugin. */
function sourcesIn(kind) {
  const names = existsSync(join(tree, kind)) ? readdirSync(join(tree, kind)).toSorted() : [];
  return names.map((name) => `${kind}/${name}/src`).filter((path) => existsSync(join(tree, path)));
}

async function longFunctions() {
  const config = join(root, "scripts/lib/house/functions.json");
  const { output } = await collect(
    join(root, "node_modules/.bin/oxlint"),
    ["-c", config, "--format=unix", ...folders],
    { cwd: tree },
  );
  const places = output.split("\n").filter((line) => line.includes("max-lines-per-function"));
  if (places.length === 0 && !/0 problems|^$/.test(output.trim())) throw new Error(output);
  return { count: places.length, places };
}
