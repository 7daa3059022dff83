// Which test files reach which functions, children included. Made once and kept: it only says where to look first, and a
// function that it does not know is looked for wherever its file is reached.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { root, say } from "../toolchain.mjs";
import { reachFile, rebuild, runTests } from "./place.mjs";
import { functionsOf, sourceFiles } from "./sites.mjs";

const KEPT = join(root, "node_modules/.cache/margay/reach.json");
const idOf = (file, text) => createHash("sha256").update(`${file}\0${text}`).digest("hex").slice(0, 12);

/** @returns `tests`: file → ms and whether it passes; `reached`: function → test files. */
export async function reachOf(copies, tests, { again, keep }) {
  if (!again && existsSync(KEPT)) return only(JSON.parse(readFileSync(KEPT, "utf8")), tests);
  const edits = new Map();
  const sources = {};
  for (const file of sourceFiles()) {
    const list = [{ start: 0, end: 0, text: `mutantReach("${idOf(file, "")}");` }];
    const source = readFileSync(join(root, file), "utf8");
    if (source.startsWith("#!")) continue;
    for (const { block, first, last, text } of functionsOf(file)) {
      const call = `mutantReach("${idOf(file, text)}")`;
      if (block) list.push({ start: first, end: first, text: `${call}; ` });
      else list.push({ start: first, end: first, text: `(${call}, ` }, { start: last, end: last, text: ")" });
    }
    edits.set(file, list);
    sources[file] = idOf(file, source);
  }
  const plan = shares(tests, copies.length);
  const found = await Promise.all(
    copies.map(async (folder, index) => {
      await rebuild(folder, edits, "reach");
      writeFileSync(reachFile(folder), "");
      const setup = join(folder, "scripts/lib/mutants/reach.config.mjs");
      const { results, output } = await runTests(folder, plan[index], setup);
      if (results.size === 0) throw new Error(`The tests did not run in a copy.\n${output}`);
      return { results, lines: readFileSync(reachFile(folder), "utf8").split("\n") };
    }),
  );
  const map = { tests: {}, reached: {}, sources };
  for (const { results, lines } of found) {
    for (const [file, { passed, ms, failure }] of results) {
      map.tests[file] = { passed, ms: Math.round(ms) };
      if (!passed) say(`left out, it fails without a change: ${file} (${failure.slice(0, 200)})`);
    }
    let test;
    for (const line of lines) {
      if (line.startsWith("> ")) test = line.slice(2);
      else if (line !== "" && test !== undefined) (map.reached[line] ??= []).push(test);
    }
  }
  for (const id of Object.keys(map.reached)) map.reached[id] = [...new Set(map.reached[id])];
  if (keep) {
    mkdirSync(dirname(KEPT), { recursive: true });
    writeFileSync(KEPT, JSON.stringify(map));
  }
  return map;
}

/** What was made of all tests, for some of them. */
function only(map, tests) {
  const chosen = new Set(tests);
  return { ...map, tests: Object.fromEntries(Object.entries(map.tests).filter(([file]) => chosen.has(file))) };
}

/** @returns test files that reach the place and pass without a change, nearest and fastest first. */
export function testsOf(map, { file, start, end }) {
  const inside = functionsOf(file)
    .filter((one) => one.start <= start && end <= one.end)
    .sort((a, b) => a.end - a.start - (b.end - b.start))[0];
  const known = map.reached[idOf(file, inside?.text ?? "")];
  const changed = inside !== undefined && known === undefined;
  const files = known ?? (changed && !knowsAll(map, file) ? (map.reached[idOf(file, "")] ?? []) : []);
  const near = file.replace("/src/", "/test/").replace(/\.ts$/, "");
  const distance = (test) => {
    if (test.startsWith(near)) return 0;
    return test.startsWith(dirname(near)) ? 1 : 2;
  };
  return files
    .filter((test) => map.tests[test]?.passed === true)
    .sort((a, b) => distance(a) - distance(b) || map.tests[a].ms - map.tests[b].ms);
}

/** Whether each function of the file is as it was when the map was made, so that one it does not know is reached by nobody. */
function knowsAll(map, file) {
  return map.sources[file] === idOf(file, readFileSync(join(root, file), "utf8"));
}

function shares(tests, count) {
  return Array.from({ length: count }, (_, index) => tests.filter((_test, at) => at % count === index));
}
