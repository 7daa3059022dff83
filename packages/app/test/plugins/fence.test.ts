/** What the code of a plugin may hold, and what it finds when it looks for more. */
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkBundle, silentLog, startPlugin, systemClock } from "@margay/core/internal";
import { expect, onTestFinished, test } from "vitest";
import { HOOK_POINTS, readManifest, reachOf } from "../../src/features/plugins/engine/manifest.ts";
import { readAnswer, readOffer } from "../../src/features/plugins/engine/offer.ts";
import { readPlugin } from "../../src/features/plugins/engine/content.ts";
import { locatePackage } from "../../src/models/plugin-locate.ts";
import { oneTool, reviewOf, writePlugin } from "./plugin-home.ts";

test.each([
  ['import fs from "node:fs";', 'import "node:fs" in line 1'],
  ['const a = 1;\nimport { spawn } from "child_process";', 'import "child_process" in line 2'],
  ['export * from "./other.js";', 'import "./other.js" in line 1'],
  ['/** a */ import("fs"); /** b */', "import() in line 1"],
  ['const net = await import("node:net");', "import() in line 1"],
  ["const f = import /* now */ ('x');", "import() in line 1"],
  ['const fs = require("fs");', "require in line 1"],
  ["const load = createRequire(import.meta.url);", "require in line 1"],
  ['process.getBuiltinModule("fs");', "process.getBuiltinModule in line 1"],
  ['process["binding"]("fs");', "process.binding in line 1"],
  ['globalThis.process.dlopen(m, "x.node");', "process.binding in line 1"],
  ["const name = `node:http`;", "a module of Node in line 1"],
])("PL3 %s is refused before anything of it runs", async (code, why) => {
  expect(checkBundle(code)).toBe(`it uses ${why}`);
  await expect(reviewOf({ name: "bad", code: `${code}\n${oneTool("bad", "return ''")}` })).rejects.toThrow(why);
});

test.each([
  '/** @type {import("@margay/core/plugin").ToolPlugin} */\nconst a = 1;',
  "const important = 1; export { important };",
  "export const plugin = { requires: 1, required: (n) => n };",
  "const text = 'we import goods'; class A { imports() {} }; const from = 'x';",
])("PL3 code that only looks so is taken: %s", (code) => {
  expect(checkBundle(code)).toBe(undefined);
});

/** What each way gives inside, run one after the other in one plugin. */
async function inside(ways: readonly string[], trusted = false): Promise<readonly string[]> {
  const body = `const out = []; for (const way of [${ways.map((way) => `async () => ${way.replace("imp_ort", "import")}`).join(", ")}])
    try { out.push("GOT " + typeof await way()); } catch (error) { out.push(String(error.message)); } return out.join("\\n");`;
  const code = oneTool("fenced", body);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "margay-fence-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "index.mjs");
  writeFileSync(path, code);
  const source = { name: "fenced", code, ...(trusted && { trustedPath: path }) };
  using process = await startPlugin(source, { clock: systemClock(), log: silentLog, ended: () => {} });
  const call = {
    about: { id: "1", origin: { channel: "cli", chat: "1" }, settings: {} },
    progress: () => {},
    ask: () => Promise.resolve({}),
  };
  const given = await process.call("run", {}, call, new AbortController().signal);
  return String(given).split("\n");
}

/** Written so that no look at the text finds them: what is loaded is the fence's own business. */
const WAYS = [
  'import(["no", "de:fs"].join(""))',
  'imp_ort("data:text/javascript;base64," + btoa("import \\"no" + "de:child_process\\"")) ',
  'new Function("return imp" + "ort(\\"no" + "de:net\\")")()',
  'imp_ort("file:///etc/passwd")',
  'globalThis["pro" + "cess"]["getBuiltin" + "Module"]("fs")',
  'globalThis["fet" + "ch"]("http://127.0.0.1:1")',
  'new (globalThis["Web" + "Socket"])("ws://127.0.0.1:1")',
  'console["log"].constructor("return this.process.pid")() === undefined ? Promise.reject(new Error("no pid")) : 1',
  "process.env.PATH === undefined ? Promise.reject(new Error('no environment')) : 1",
  'Reflect.get(process, "kill")(1)',
];

test("PL3 code that no look at its text finds out reaches no file, program, socket, process or environment either", async () => {
  const found = await inside(WAYS);
  expect(found.filter((line) => line.startsWith("GOT"))).toEqual([]);
  expect(found).toHaveLength(WAYS.length);
});

test("PL3 with --trusted it has what Node has", async () => {
  expect(await inside(['import("node:fs")'], true)).toEqual(["GOT object"]);
});

test("PL1 what a manifest asks for is checked when it is read, in words for its author", () => {
  const read = (value: object) =>
    readManifest(JSON.stringify({ contract: "tool/1", name: "tea", ...value }), "margay-tea");
  expect(read({ hosts: ["api.example.com"] })).toMatchObject({
    hosts: ["api.example.com"],
    files: "none",
    exec: false,
  });
  for (const [value, why] of [
    [{ contract: "tool/2" }, "this margay knows tool/1 and hook/1"],
    [{ name: "Tea Time" }, "name must fit"],
    [{ hosts: ["*"] }, "hosts must be a list of names"],
    [{ hosts: ["10.0.0.1"] }, "hosts must be a list of names"],
    [{ files: "all" }, "files must be none, read or write"],
    [{ pure: true, hosts: ["example.com"] }, "what is pure has no hosts"],
    [{ contract: "hook/1", exec: true }, "a hook has no hosts"],
  ] as const)
    expect(() => read(value)).toThrow(why);
});

test("PL3 hosts and commands decide what a call reaches, and a plugin can only say more", () => {
  expect(reachOf({ hosts: [], exec: false }, undefined)).toBe("local");
  expect(reachOf({ hosts: [], exec: false }, "remote")).toBe("remote");
  expect(reachOf({ hosts: ["example.com"], exec: false }, "local")).toBe("remote");
  expect(reachOf({ hosts: ["example.com"], exec: true }, "remote")).toBe("command");
});

const MANIFEST = readManifest('{"contract":"tool/1","name":"tea"}', "margay-tea");
const TOOL = { name: "run", description: "x", input: { type: "object" }, effect: "read" };
const offer = (tools: readonly object[]) => readOffer({ contract: "tool/1", name: "tea", tools }, MANIFEST);

test("offer/MAX_TOOLS, offer/MAX_DESCRIPTION_CHARS, offer/MAX_TIMEOUT_MS: 32 tools, 2000 characters, ten minutes, and no more", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ ...TOOL, name: `run${index}` }));
  expect(offer(many(32)).tools).toHaveLength(32);
  expect(() => offer(many(33))).toThrow("more than 32 tools");
  expect(offer([{ ...TOOL, description: "x".repeat(2000) }]).tools).toHaveLength(1);
  expect(() => offer([{ ...TOOL, description: "x".repeat(2001) }])).toThrow("1 to 2000 characters");
  expect(offer([{ ...TOOL, timeoutMs: 600_000 }]).tools).toHaveLength(1);
  expect(() => offer([{ ...TOOL, timeoutMs: 600_001 }])).toThrow("from 1 to 600000");
});

test("offer/MAX_NOTE_CHARS, offer/MAX_REASON_CHARS: a note of 2000 and a reason of 500 characters are whole, longer ones are cut", () => {
  for (const length of [2000, 2001])
    expect(readAnswer({ note: "n".repeat(length) }, false)).toEqual({ note: "n".repeat(2000) });
  for (const length of [500, 501])
    expect(readAnswer({ deny: true, reason: "r".repeat(length) }, true)).toEqual({
      deny: true,
      reason: "r".repeat(500),
    });
  expect(readAnswer({ deny: true, reason: "r" }, false)).toBe("wrong");
  expect(HOOK_POINTS).toHaveLength(6);
});

test("package-content/MAX_PLUGIN_FILES, package-content/MAX_PLUGIN_BYTES, content/MAX_CODE_BYTES: 2000 files, 32 MB, 4 MB of code, and no links", () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "margay-content-")));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const folder = writePlugin(home, { name: "big", code: "x".repeat(4 * 1024 * 1024) });
  const read = () => readPlugin(locatePackage("margay-big", { home })!);
  expect(read().files).toBe(3);
  writeFileSync(join(folder, "index.js"), "x".repeat(4 * 1024 * 1024 + 1));
  expect(read).toThrow("its code is over 4 MB");
  writeFileSync(join(folder, "index.js"), "");
  writeFileSync(join(folder, "data"), Buffer.alloc(32 * 1024 * 1024));
  expect(read).toThrow("it is over 32 MB");
  rmSync(join(folder, "data"));
  for (let index = 3; index < 2000; index++) writeFileSync(join(folder, `f${index}`), "");
  expect(read().files).toBe(2000);
  writeFileSync(join(folder, "one-more"), "");
  expect(read).toThrow("more than 2000 files");
  rmSync(join(folder, "one-more"));
  rmSync(join(folder, "f3"));
  symlinkSync("/etc/passwd", join(folder, "f3"));
  expect(read).toThrow("f3 is no regular file");
});
