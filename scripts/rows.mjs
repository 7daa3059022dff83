// npm run rows: which rows of the acceptance contract have no test that names them in its title.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

import { collect, node24, root } from "./lib/toolchain.mjs";

// `later`: rows of the selected sections that another issue brings, by its title.
// `families`: rows of the other specifications; `later`, the issue that brings those that no test names yet.
const { sections, later, named, families } = JSON.parse(readFileSync(join(root, "docs/rows.json"), "utf8"));
const PARSE_TABLE = "packages/app/test/config/knobs.test.ts";
const { values } = parseArgs({ options: { sections: { type: "string", default: "all" } } });
const chosen = select(values.sections);
const wanted = [
  ...sections.filter(({ section }) => chosen.has(section)).map((one) => [`${one.section}. ${one.title}`, rowsOf(one)]),
  [
    "Named cases of these sections",
    Object.keys(named).filter((row) => named[row].some((section) => chosen.has(section))),
  ],
];
const ofFamilies = new Map(Object.entries(families).map(([name, { rows }]) => [name, expand(name, rows)]));
const known = new Set([...sections.flatMap(rowsOf), ...Object.keys(named), ...[...ofFamilies.values()].flat()]);
const ROW = new RegExp(`\\b(?:R|${[...ofFamilies.keys()].join("|")})\\d+\\b`, "g");

// Reading the files is quick; titles that a loop or a table makes up exist only when the files run.
let { tested, problems, parsed } = await scan("--staticParse");
if (wanted.some(([, rows]) => rows.some((row) => !tested.has(row) && later[row] === undefined)))
  ({ tested, problems, parsed } = await scan("--no-staticParse"));

let missing = 0;
for (const [title, rows] of wanted) {
  const without = rows.filter((row) => !tested.has(row) && later[row] === undefined);
  missing += without.length;
  console.log(`${title}: ${rows.filter((row) => tested.has(row)).length} of ${rows.length}`);
  if (without.length > 0) console.log(`   without a test: ${without.join(" ")}`);
}
const postponed = wanted.flatMap(([, rows]) => rows.filter((row) => !tested.has(row) && later[row] !== undefined));
for (const issue of new Set(postponed.map((row) => later[row]))) {
  const rows = postponed.filter((row) => later[row] === issue);
  console.log(`${rows.length} rows belong to later issues: ${rows.join(" ")} (${issue})`);
}
for (const [name, rows] of ofFamilies) {
  const without = rows.filter((row) => !tested.has(row));
  const issue = families[name].later;
  console.log(
    `${name}: ${rows.length - without.length} of ${rows.length}${issue === undefined || without.length === 0 ? "" : `, the rest is open (${issue})`}`,
  );
  if (issue === undefined && without.length > 0 && name !== "DF")
    console.log(`   named by no test: ${without.join(" ")}`);
}
const onlyParsed = parsed.filter((row) => later[row] === undefined);
for (const row of parsed)
  if (later[row] !== undefined) console.log(`${row} is read and does nothing yet (${later[row]})`);
if (onlyParsed.length > 0) console.log(`only their parsing is tested: ${onlyParsed.join(" ")}`);
for (const problem of problems) console.log(problem);
console.log(missing === 0 ? "every selected row has a test" : `${missing} selected rows have no test`);
process.exitCode = missing === 0 && problems.length === 0 && onlyParsed.length === 0 ? 0 : 1;

/** "1-6,8" → section numbers; "all" → every one. */
function select(text) {
  const numbers = sections.map((one) => one.section);
  if (text === "all") return new Set(numbers);
  const parts = text.split(",").map((part) => part.split("-").map(Number));
  const picked = parts.flatMap(([from, to = from]) => numbers.filter((number) => number >= from && number <= to));
  if (picked.length > 0 && /^[\d,-]+$/.test(text)) return new Set(picked);
  console.error(
    `--sections ${text} names no section of the contract. Write numbers from 1 to ${numbers.at(-1)}, such as 1-6,8.`,
  );
  process.exit(2);
}

/** "1-6,8" of CH → CH1 … */
function expand(name, text) {
  return text.split(",").flatMap((part) => {
    const [from, to = from] = part.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => `${name}${from + index}`);
  });
}

function rowsOf({ first, last }) {
  return Array.from({ length: last - first + 1 }, (_, index) => `R${first + index}`);
}

async function scan(mode) {
  const folder = mkdtempSync(join(tmpdir(), "margay-rows-"));
  const list = join(folder, "tests.json");
  try {
    await collect(node24(), [join(root, "node_modules/vitest/vitest.mjs"), "list", mode, `--json=${list}`]);
    return read(JSON.parse(readFileSync(list, "utf8")));
  } catch (error) {
    console.error(`The tests could not be listed (${error.message}). Run: npx vitest list`);
    process.exit(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(tests) {
  const tested = new Set();
  /** Rows whose only tests read the table of keys: a key that is read and not wired is not there (R417). */
  const acting = new Set();
  const problems = [];
  for (const { name, file } of tests) {
    const where = `${relative(root, file)}: "${name}"`;
    if (/R\d+\s*[-–]\s*R?\d/.test(name)) problems.push(`${where} names a range: name each row.`);
    for (const [row] of name.matchAll(ROW)) {
      if (!file.endsWith(PARSE_TABLE)) acting.add(row);
      if (known.has(row)) tested.add(row);
      else problems.push(`${where} names ${row}, which the contract does not have.`);
    }
  }
  return { tested, problems, parsed: [...tested].filter((row) => !acting.has(row)) };
}
