// npm run mutants [-- N --seed S --folders core/journal,app/cli --tests core/test/journal --workers W --output FILE --fresh]: changes N places of the product at random,
// one at a time, and says which changes no test notices. Works in copies. Decision 0030 says how, and why no library does it.
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { filesBelow } from "./lib/freshness.mjs";
import { makeCopy, rebuild } from "./lib/mutants/place.mjs";
import { reachOf, testsOf } from "./lib/mutants/reach.mjs";
import { areaOf, sitesOf, sourceFiles } from "./lib/mutants/sites.mjs";
import { tables } from "./lib/mutants/tables.mjs";
import { tryEach } from "./lib/mutants/try.mjs";
import { thatCompile } from "./lib/mutants/types.mjs";
import { onNode24, root, say } from "./lib/toolchain.mjs";

/** Browsers take longer than all else together, and the tests of the repository read what is not built here. */
const NOT_RUN = /^test\/|\/browser\/|idle-day/;

await onNode24(import.meta.url);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
    folders: { type: "string", default: "" },
    tests: { type: "string", default: "" },
    workers: { type: "string", default: "2" },
    output: { type: "string" },
    fresh: { type: "boolean", default: false },
  },
});
const wanted = Number(positionals[0] ?? 50);
const random = generator(Number(values.seed));
say(
  `seed ${values.seed}: npm run mutants -- ${wanted} --seed ${values.seed}${values.folders && ` --folders ${values.folders}`}`,
);
/** Ctrl-C ends it with what is known by then. */
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
const folder = realpathSync(mkdtempSync(join(tmpdir(), "margay-mutants-")));
chmodSync(folder, 0o711); // some tests run the program as a user without rights
try {
  const workers = Array.from({ length: Number(values.workers) }, (_, index) => join(folder, String(index)));
  const copies = await Promise.all(workers.map(makeCopy));
  const { mutants, drawn } = await draw(copies[0]);
  say(`${drawn.length} drawn, ${mutants.length} compile`);
  const tests = ["packages", "plugins"]
    .flatMap((name) => filesBelow(join(root, name)))
    .map((file) => file.slice(root.length + 1))
    .filter((file) => file.endsWith(".test.ts") && !NOT_RUN.test(file) && file.includes(values.tests));
  const map = await reachOf(copies, tests, { again: values.fresh, keep: values.tests === "" });
  for (const one of mutants) one.tests = testsOf(map, one);
  const edits = Map.groupBy(
    mutants.map(({ file, start, end, either, id }) => ({ file, start, end, text: either(`mutantIsOn("${id}")`) })),
    ({ file }) => file,
  );
  for (const copy of copies) {
    rmSync(copy, { recursive: true });
    await makeCopy(copy);
    await rebuild(copy, edits, "switch");
  }
  await tryEach(copies, mutants, map, stop.signal);
  process.stdout.write(tables(drawn));
  if (values.output !== undefined) writeFileSync(values.output, JSON.stringify(drawn, null, 1));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** As many as are wanted that compile: evenly over the folders, and in each evenly over the kinds of change. */
async function draw(copy) {
  const areas = Map.groupBy(sourceFiles(), areaOf);
  for (const name of areas.keys())
    if (values.folders !== "" && !values.folders.split(",").some((one) => `${name}/`.startsWith(`${one}/`)))
      areas.delete(name);
  if (areas.size === 0)
    throw new Error(`--folders ${values.folders} names none of: ${[...new Set(sourceFiles().map(areaOf))].join(", ")}`);
  const queues = [...areas].map(([area, files]) => {
    const kinds = Map.groupBy(files.flatMap(sitesOf), ({ operator }) => operator);
    return { area, kinds: [...kinds.values()].map(shuffled) };
  });
  const drawn = [];
  const mutants = [];
  while (mutants.length < wanted && queues.some(({ kinds }) => kinds.length > 0)) {
    const batch = new Map();
    const order = shuffled(queues.filter(({ kinds }) => kinds.length > 0));
    const room = Math.ceil((wanted - mutants.length) * 1.5);
    for (let index = 0, misses = 0; batch.size < room && misses < 100; index += 1) {
      const { area, kinds } = order[index % order.length];
      const at = Math.floor(random() * kinds.length);
      const site = kinds[at]?.pop();
      if (kinds[at]?.length === 0) kinds.splice(at, 1);
      const overlaps = mutants.some((one) => one.file === site?.file && one.start <= site.end && site.start <= one.end);
      if (site === undefined || batch.has(site.file) || overlaps) misses += 1;
      else batch.set(site.file, { ...site, area, outcome: "types" });
    }
    const sites = [...batch.values()];
    const { compiling, putOff } = await thatCompile(copy, sites);
    const [passed, unknown] = [new Set(compiling), new Set(putOff)];
    for (const site of sites) {
      if (mutants.length === wanted) break;
      if (unknown.has(site)) continue;
      drawn.push(site);
      if (!passed.has(site)) continue;
      site.outcome = undefined; // not tried yet
      site.id = String(mutants.length + 1);
      mutants.push(site);
    }
    say(`${mutants.length} of ${wanted} compile`);
  }
  return { mutants, drawn };
}

function shuffled(list) {
  return list
    .map((one) => [random(), one])
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);
}

/** The same numbers for the same seed (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
