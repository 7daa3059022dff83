// The dependency rules are proved by breaking them in a small tree of their own.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const script = join(import.meta.dirname, "../scripts/check-layers.mjs");

function layers(files: Readonly<Record<string, string>>): { code: number | null; output: string } {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), "layers-")));
  onTestFinished(() => rmSync(tree, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(tree, "packages", dirname(path)), { recursive: true });
    writeFileSync(join(tree, "packages", path), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, tree], { encoding: "utf8" });
  return { code: status, output: stdout + stderr };
}

const clock = "export const now = (): number => 1;\n";
const using = "export async function f(): Promise<void> { await using _x = { async [Symbol.asyncDispose]() {} }; }\n";

test("folders that keep to the table pass, and every source file was seen", () => {
  const { code, output } = layers({
    "core/src/machine/clock.ts": `import "node:fs";\n${clock}${using}`,
    "core/src/journal/journal.ts": 'import { now } from "../machine/clock.ts";\nexport const at = now();\n',
  });
  expect({ code, output }).toEqual({ code: 0, output: "3 modules cruised, 2 source files\n" });
});

test.for([
  [
    "a folder that imports one it may not",
    "core-loop",
    "core/src/loop/loop.ts",
    'import { now } from "../machine/clock.ts";\nnow();\n',
  ],
  [
    "a type from a folder it may not import",
    "core-policy",
    "core/src/policy/p.ts",
    'import type { now } from "../machine/clock.ts";\nexport type N = typeof now;\n',
  ],
  [
    "a Node built-in where there is no machine",
    "node-built-ins",
    "core/src/control/inbox.ts",
    'import fs from "node:fs";\nfs.readFileSync("x");\n',
  ],
  [
    "a contract that imports something",
    "contract-imports-nothing",
    "core/src/contract/base.ts",
    'import { now } from "../machine/clock.ts";\nnow();\n',
  ],
  [
    "product code that imports the testing kit",
    "testing-is-for-tests",
    "core/src/create-agent.ts",
    'import "./testing/fake.ts";\n',
  ],
  [
    "the state entry that reaches a built-in over other files",
    "state-runs-in-a-browser",
    "core/src/state.ts",
    'import "./journal/j.ts";\n',
  ],
  [
    "app that imports a file inside core",
    "app-uses-entries",
    "app/src/compose/compose.ts",
    'import "../../../core/src/machine/clock.ts";\n',
  ],
  ["a feature that imports another", "app-features", "app/src/features/cron/x.ts", 'import "../hooks/y.ts";\n'],
  ["a frame that knows a feature", "app-host", "app/src/host/http/x.ts", 'import "../../features/hooks/y.ts";\n'],
  ["a page that knows code of the program", "app-pages", "app/src/features/cron/page/p.ts", 'import "../x.ts";\n'],
  [
    "pages whose frame knows one of them",
    "app-web",
    "app/src/web/shell/s.ts",
    'import "../../features/cron/page/p.ts";\n',
  ],
  ["settings that know the frame", "app-config", "app/src/config/load.ts", 'import "../host/http/h.ts";\n'],
  [
    "a type named by import() from a folder it may not import",
    "core-policy",
    "core/src/policy/p.ts",
    'export type N = typeof import("../machine/clock.ts");\n',
  ],
  [
    "a name passed on from a folder it may not import",
    "core-policy",
    "core/src/policy/p.ts",
    'export { now } from "../machine/clock.ts";\n',
  ],
  [
    "the state entry that reaches a built-in with a path",
    "state-runs-in-a-browser",
    "core/src/state.ts",
    'import "./journal/k.ts";\n',
  ],
  [
    "a package outside of its place",
    "only-there-zod",
    "app/src/compose/compose.ts",
    'import { z } from "zod";\nz.any();\n',
  ],
  ["a package that has no row", "listed-packages-only", "app/src/host/x.ts", 'import "left-pad";\n'],
  ["a package that is not in package.json", "no-dev-tools-in-src", "app/src/host/x.ts", 'import "ws";\n'],
  [
    "core that knows the program",
    "core-knows-no-app",
    "core/src/builtin/b.ts",
    'import "../../../app/src/config/load.ts";\n',
  ],
  [
    "what serves requests and knows the command line",
    "app-host-without-a-terminal",
    "app/src/host/http/x.ts",
    'import "../cli/c.ts";\n',
  ],
  [
    "a page that reaches zod by the code of a schema",
    "pages-run-in-a-browser",
    "app/src/features/cron/page/p.ts",
    'import { schema } from "../schema.ts";\nexport const p = schema;\n',
  ],
  [
    "the loop that reaches a built-in over other files",
    "loop-is-pure",
    "core/src/loop/loop.ts",
    'import { j } from "../session/s.ts";\nj();\n',
  ],
  [
    "a schema that leads to what a feature does",
    "app-schemas",
    "app/src/features/cron/schema.ts",
    'import "./x.ts";\n',
  ],
  [
    "code behind the types of the program",
    "app-types-only",
    "app/src/app.ts",
    'export { now } from "./config/load.ts";\n',
  ],
  ["compose that knows a page", "app-compose", "app/src/compose/c.ts", 'import "../features/cron/page/p.ts";\n'],
  ["a folder that imports a root file", "app-root-files", "app/src/host/http/x.ts", 'import "../../main.ts";\n'],
  ["an import that leads nowhere", "resolvable", "core/src/lib/a.ts", 'import "./not-here.ts";\n'],
  [
    "an import after a using declaration",
    "core-loop",
    "core/src/loop/loop.ts",
    `${using}export const f2 = async () => { await using _y = await import("../machine/clock.ts"); };\n`,
  ],
] as const)("the check refuses %s", ([, rule, path, text]) => {
  const { code, output } = layers({
    "core/src/machine/clock.ts": clock,
    "core/src/testing/fake.ts": clock,
    "core/src/journal/j.ts": 'import "node:fs";\n',
    "core/src/journal/k.ts": 'import "node:fs/promises";\n',
    "core/src/session/s.ts": 'import "../journal/j.ts";\nexport const j = (): number => 1;\n',
    "app/src/features/cron/schema.ts": 'import { z } from "zod";\nexport const schema = z.any();\n',
    "app/src/main.ts": clock,
    "app/src/host/cli/c.ts": clock,
    "app/node_modules/ws/package.json": "{}\n",
    "app/node_modules/zod/package.json": "{}\n",
    "app/package.json": '{ "name": "margay", "dependencies": { "zod": "4" } }\n',
    "app/src/config/load.ts": clock,
    "app/src/host/http/h.ts": clock,
    "app/src/features/hooks/y.ts": clock,
    "app/src/features/cron/x.ts": clock,
    "app/src/features/cron/page/p.ts": clock,
    [path]: text,
  });
  expect(code).toBe(1);
  expect(output).toContain(`    ${rule}: `);
});

test("types alone lead nowhere when the program runs: a page may know those of a schema, whatever the schema is checked with", () => {
  const { code, output } = layers({
    "app/node_modules/zod/package.json": "{}\n",
    "app/package.json": '{ "name": "margay", "dependencies": { "zod": "4" } }\n',
    "app/src/features/cron/schema.ts": 'import { z } from "zod";\nexport type Job = z.infer<typeof z.any>;\n',
    "app/src/features/cron/page/p.ts":
      'import { type Job } from "../schema.ts";\nexport type P = Job | import("../schema.ts").Job;\n',
  });
  expect({ code, output }).toMatchObject({ code: 0 });
});

test("the check refuses two files that need each other", () => {
  const { code, output } = layers({
    "core/src/lib/a.ts": 'import { b } from "./b.ts";\nexport const a = (): number => b;\n',
    "core/src/lib/b.ts": 'import { a } from "./a.ts";\nexport const b = a();\n',
  });
  expect(code).toBe(1);
  expect(output).toContain("no-cycles");
});

test.for([
  [
    "a journal",
    "core/src/memory/m.ts",
    "export const path = (home: string): string => `${home}/sessions/a.journal`;\n",
  ],
  [
    "a folder of the store",
    "app/src/host/h.ts",
    'import { join } from "node:path";\nexport const at = join("home", "blobs");\n',
  ],
  ["the head of the log", "app/src/features/x/y.ts", 'export const file = "audit/head.json";\n'],
] as const)("SO1 who names %s and is not the store is refused", ([, path, text]) => {
  const { code, output } = layers({ [path]: text });
  expect({ code, found: output.includes(`packages/${path}:`), why: output.includes("state-files:") }).toEqual({
    code: 1,
    found: true,
    why: true,
  });
});

test("SO1 the store itself names its files", () => {
  const { code } = layers({
    "core/src/journal/directory.ts": "export const path = (home: string): string => `${home}/sessions/a.journal`;\n",
  });
  expect(code).toBe(0);
});
