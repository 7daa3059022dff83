// Each gauge of the house is proved by a small tree in which it rises above what is written down.
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const script = join(import.meta.dirname, "../scripts/check-house.mjs");
const RECORD = "scripts/lib/house/house.json";

function house(
  files: Readonly<Record<string, string>>,
  ...options: string[]
): { code: number | null; output: string; tree: string } {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), "house-")));
  onTestFinished(() => rmSync(tree, { recursive: true, force: true }));
  for (const [path, text] of Object.entries({
    "packages/core/src/lib/plain.ts": "export const one = 1;\n",
    ...files,
  })) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, tree, ...options], { encoding: "utf8" });
  return { code: status, output: stdout + stderr, tree };
}

test("a house with nothing to say against it passes", () => {
  const { code, output } = house({});
  expect(output).not.toMatch(/^ *[1-9]/m);
  expect(code).toBe(0);
});

const RECORD_TYPES = 'export type JournalRecord = { readonly type: "turn.ended" };\n';

test.for<readonly [string, Readonly<Record<string, string>>]>([
  [
    "folders with more than 25 files",
    Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`packages/core/src/lib/f${at}.ts`, ""])),
  ],
  ["files of more than 300 lines", { "packages/app/src/a.ts": "void 0;\n".repeat(301) }],
  [
    "folders with more than 25 files",
    Object.fromEntries(Array.from({ length: 26 }, (_, at) => [`plugins/channel-a/src/f${at}.ts`, ""])),
  ],
  ["files of more than 300 lines", { "plugins/channel-a/src/a.ts": "void 0;\n".repeat(301) }],
  [
    "functions of more than 80 lines",
    { "plugins/channel-a/src/a.ts": `export function long(): void {\n${"  void 0;\n".repeat(80)}}\n` },
  ],
  [
    "records folded elsewhere",
    {
      "packages/core/src/contract/record.ts": RECORD_TYPES,
      "packages/app/src/usage.ts": 'export const isEnd = (type: string): boolean => type === "turn.ended";\n',
    },
  ],
  [
    "files written past the store of documents",
    { "packages/app/src/features/new/store.ts": 'replaceFile(join(home, "new.json"), text);\n' },
  ],
  [
    "decisions on a text",
    { "packages/app/src/a.ts": 'export const late = (e: Error): boolean => e.message.includes("late");\n' },
  ],
  ["lines with Chinese outside of a catalog", { "packages/app/src/a.ts": 'export const hello = "你好";\n' }],
  [
    "rows cited that are not in the repository",
    { "packages/app/src/a.ts": "/** What it does (R12). */\nexport {};\n" },
  ],
  ["words that the glossary replaced", { "packages/app/src/a.ts": "export const leash = 1;\n" }],
  [
    "functions of more than 80 lines",
    { "packages/app/src/a.ts": `export function long(): void {\n${"  void 0;\n".repeat(80)}}\n` },
  ],
])("the check refuses more of: %s", ([name, files]) => {
  const { code, output } = house(files);
  const lines = output.split("\n");
  const at = lines.findIndex((line) => line.endsWith(`  ${name}`));
  expect(lines[at + 1], output).toContain("may only fall");
  expect(output.match(/may only fall/g)).toHaveLength(1);
  expect(code).toBe(1);
});

test.for<readonly [string, string, string]>([
  [
    "lines of core's reading path",
    "packages/core/src/loop/loop.ts",
    Array.from({ length: 20_000 }, (_, at) => `export const l${at} = 1;\n`).join(""),
  ],
  [
    "public names of core",
    "packages/core/src/index.ts",
    Array.from({ length: 121 }, (_, at) => `export { one as o${at} } from "./lib/plain.ts";\n`).join(""),
  ],
])("the check refuses more than the bound of: %s", ([name, path, text]) => {
  const { code, output } = house({ [path]: text, [RECORD]: '{ "files of more than 300 lines": 1 }' });
  const lines = output.split("\n");
  expect(lines[lines.findIndex((line) => line.endsWith(`  ${name}`)) + 1], output).toContain("at most");
  expect(code).toBe(1);
});

test("the words of a plugin are those of its platform", () => {
  const { code, output } = house({ "plugins/channel-a/src/a.ts": "/** A mailbox (RFC 3501). */\nexport {};\n" });
  expect(output).not.toMatch(/^ *[1-9]/m);
  expect(code).toBe(0);
});

test("what rose can't be written down, and nothing that reached nothing comes back", () => {
  const { output, tree } = house({
    [RECORD]: '{ "rows cited that are not in the repository": 0 }',
    "packages/app/src/a.ts": "/** What it does (R12). */\nexport {};\n",
  });
  expect(output).toContain("It was 0 and may only fall");
  spawnSync(process.execPath, [script, tree, "--write"]);
  expect(JSON.parse(readFileSync(join(tree, RECORD), "utf8"))).toMatchObject({
    "rows cited that are not in the repository": 0,
  });
  expect(spawnSync(process.execPath, [script, tree]).status).toBe(1);
});

test("what fell is to be written down, so that it does not rise again", () => {
  const { code, output, tree } = house({ [RECORD]: '{ "decisions on a text": 2 }' });
  expect(output).toContain("It was 2: write down what you gained");
  expect(code).toBe(1);
  expect(spawnSync(process.execPath, [script, tree, "--write"]).status).toBe(0);
  expect(JSON.parse(readFileSync(join(tree, RECORD), "utf8"))).toMatchObject({ "decisions on a text": 0 });
  expect(spawnSync(process.execPath, [script, tree]).status).toBe(0);
});

test.each(["internal", "internal/state", "internal/testing"])("every name of @margay/core/%s has a user", (entry) => {
  const root = join(import.meta.dirname, "..");
  const file = entry.replace("/", "-");
  const uses = globSync("{packages,plugins}/*/{src,test}/**/*.{ts,tsx}", { cwd: root })
    .filter((path) => !/core\/src\/internal/.test(path))
    .map((path) => readFileSync(join(root, path), "utf8"))
    .filter((text) => text.includes(`"@margay/core/${entry}"`) || text.includes(`src/${file}.ts"`))
    .join("\n");
  const words = new Set(uses.match(/\w+/g));
  const exported = [
    ...readFileSync(join(root, `packages/core/src/${file}.ts`), "utf8").matchAll(/^export (?:type )?\{([^}]*)\}/gm),
  ]
    .flatMap(([, list = ""]) => list.split(",").map((name) => name.trim().replace(/^type /, "")))
    .filter((name) => name !== "");
  expect(exported.length).toBeGreaterThan(10);
  expect(exported.filter((name) => !words.has(name))).toEqual([]);
});
