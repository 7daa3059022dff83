// What TypeScript and the linter must refuse, planted in a small tree with the settings of this one.
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const SETTINGS = ["tsconfig*.json", "packages/*/tsconfig*.json", ".oxlintrc.json"];

function check(files: Readonly<Record<string, string>>, ...names: string[]): { code: number | null; output: string } {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), "check-")));
  for (const path of globSync(SETTINGS, { cwd: root })) cpSync(join(root, path), join(tree, path));
  for (const path of ["node_modules", "packages/app/node_modules"]) symlinkSync(join(root, path), join(tree, path));
  for (const [path, text] of Object.entries({ ...SOUND, ...files })) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  const script = join(root, "scripts/check.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, tree, ...names], { encoding: "utf8" });
  rmSync(tree, { recursive: true, force: true });
  return { code: status, output: stdout + stderr };
}

/** Each folder with something that only it may do. */
const SOUND = {
  "package.json": '{ "type": "module" }\n',
  "packages/core/src/a.ts": "export const pid: number = Number(process.pid);\n",
  "packages/app/src/web/a.tsx": "export const title = (): string => document.title;\n",
  "packages/app/src/features/cron/page/a.tsx": "export const Row = () => <p>{document.title}</p>;\n",
  "packages/app/test/browser/a.ts": "export const both = (): string => document.title + String(process.pid);\n",
};

const ALL = ["types, lint", "… of pages", "declarations"];

test("a tree in which each folder does what it may passes", () => {
  const { code, output } = check({}, ...ALL);
  expect(output).toContain("checks: 4 passed, 0 failed"); // the time counts as one
  expect(code).toBe(0);
});

const FAULTS = [
  ["a wrong type in core", "packages/core/src/b1.ts", 'export const b: number = "one";\n', "TS2322"],
  [
    "an unchecked index in a test",
    "packages/core/test/b2.ts",
    "export const b = (of: string[]): string => of[0];\n",
    "TS2322",
  ],
  ["a wrong type in a fixture", "packages/core/test/fixtures/b3.ts", 'export const b: number = "one";\n', "TS2322"],
  ["a wrong type in a plugin", "plugins/one/src/b4.ts", 'export const b: number = "one";\n', "TS2322"],
  ["a DOM in the program", "packages/app/src/host/b5.ts", "export const b = (): string => document.title;\n", "TS2584"],
  [
    "a Node built-in in a page",
    "packages/app/src/features/cron/page/b6.ts",
    "export const b = (): number => process.pid;\n",
    "TS2591",
  ],
  [
    "a wrong type in the frame of pages",
    "packages/app/src/web/b7.tsx",
    "export const b: number = <p>{document.title}</p>;\n",
    "TS2322",
  ],
  ["a wrong type in a test of pages", "packages/app/test/web/b8.ts", 'export const b: number = "one";\n', "TS2322"],
  ["a wrong type in a browser test", "packages/app/test/browser/b9.ts", 'export const b: number = "one";\n', "TS2322"],
  ["a syntax that needs a compiler", "packages/core/src/b10.ts", "export enum B {\n  one,\n}\n", "TS1294"],
  ["a public name without its type", "packages/core/src/b11.ts", "export const b = [1].map(String);\n", "TS9010"],
  [
    "a promise that nobody awaits",
    "packages/core/src/b12.ts",
    "export function b(): void {\n  Promise.resolve();\n}\n",
    "no-floating-promises",
  ],
  [
    "a promise that nobody awaits in a page",
    "packages/app/src/web/b13.ts",
    "export function b(): void {\n  Promise.resolve();\n}\n",
    "no-floating-promises",
  ],
  [
    "a union not exhausted",
    "packages/core/src/b14.ts",
    'export function b(of: "x" | "y"): void {\n  switch (of) {\n    case "x":\n      break;\n  }\n}\n',
    "switch-exhaustiveness-check",
  ],
  [
    "a function of more than 80 lines",
    "packages/core/src/policy/b16.ts",
    `export function b(): void {\n${"  void 0;\n".repeat(80)}}\n`,
    "max-lines-per-function",
  ],
  ["a rule without types", "packages/core/src/b15.ts", "export default 1;\n", "no-default-export"],
] as const;

describe("the check refuses", () => {
  let output: string;
  beforeAll(() => {
    ({ output } = check(Object.fromEntries(FAULTS.map(([, path, text]) => [path, text])), ...ALL));
  });

  test("each of its three parts", () => expect(output).toContain("checks: 1 passed, 3 failed")); // the time passed

  test.for(FAULTS)("%s", ([, path, , code]) => {
    const places = output
      .split(/\n\s*\n|\n(?= {4}packages)/)
      .filter((place) => place.includes(`${path}:`) || place.includes(`${path}(`));
    expect(places.join("\n"), output).toContain(code);
  });
});

test("every TypeScript file is in one of the projects and in one alone", () => {
  const tsc = join(root, "node_modules/.bin/tsc");
  const listed = globSync(["tsconfig.node.json", "packages/app/tsconfig.*.json"], { cwd: root }).flatMap((project) => {
    const { stdout } = spawnSync(tsc, ["-p", project, "--showConfig"], { cwd: root, encoding: "utf8" });
    const { files } = JSON.parse(stdout) as { files: string[] };
    return files.map((file) => join(dirname(project), file));
  });
  const { stdout } = spawnSync("git", ["ls-files", "-co", "--exclude-standard", "--deduplicate", "*.ts", "*.tsx"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(listed.toSorted()).toEqual(
    stdout
      .trim()
      .split("\n")
      .filter((file) => globSync(file, { cwd: root }).length > 0)
      .toSorted(),
  );
});
