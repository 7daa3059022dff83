/** The suites of tool/1 and hook/1: a plugin that is right passes, and each that breaks the contract fails the test that is about it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Register } from "../../src/testing/conformance.ts";
import { hookConformance, type HookSuite } from "../../src/testing/hook-conformance.ts";
import { toolConformance, type ToolSuite } from "../../src/testing/tool-conformance.ts";

interface Given {
  readonly code: string;
  readonly manifest: object;
  readonly about?: object;
}

function written({ code, manifest, about = {} }: Given): string {
  const folder = mkdtempSync(join(tmpdir(), "margay-suite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = { type: "module", exports: "./index.js", files: ["index.js", "plugin.json"] };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...own, margay: { plugin: "plugin.json" }, ...about }));
  writeFileSync(join(folder, "plugin.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "index.js"), code);
  return folder;
}

/** Runs a suite. @returns its tests that fail, by their names, with the reason. */
async function failing(suite: (register: Register) => void): Promise<Readonly<Record<string, string>>> {
  const all: (readonly [string, () => Promise<void>])[] = [];
  suite((name, run) => all.push([name, run]));
  expect(all.length).toBeGreaterThan(5);
  const ended = await Promise.all(
    all.map(async ([name, run]) => {
      try {
        await run();
        return [];
      } catch (error) {
        return [[name.replace(/^\w+: /, ""), error instanceof Error ? error.message : String(error)] as const];
      }
    }),
  );
  return Object.fromEntries(ended.flat());
}

const SCHEMA = `{ type: "object", properties: { path: { type: "string" } }, required: ["path"] }`;
const toolCode = (body: string, more = `effect: "read"`, before = ""): string =>
  `${before}export const plugin = { contract: "tool/1", name: "words", tools: () => [{ name: "count", description: "Counts.",
    input: ${SCHEMA}, ${more}, execute: async (input, call) => { ${body} } }] };`;
const COUNTS = `return (await call.files.text(input.path)).split(/\\s+/).length + " words"`;
const READS = { contract: "tool/1", name: "words", files: "read" };
const CASES: ToolSuite["cases"] = [
  { tool: "count", input: { path: "a.txt" }, files: { "a.txt": "one two three" }, gives: /^3 words$/ },
  { tool: "count", input: { path: "b/c.txt" }, files: { "b/c.txt": "one" }, gives: /^1 words$/ },
];
const failingTools = (given: Given, cases = CASES): Promise<Readonly<Record<string, string>>> =>
  failing((register) => toolConformance(register, { folder: written(given), cases }));

test("PL5 toolConformance passes what keeps to tool/1: files, addresses, commands, blobs", async () => {
  expect(await failingTools({ code: toolCode(COUNTS), manifest: READS })).toEqual({});
  const code = toolCode(
    `const page = await (await call.fetch("https://api.example.com/x?q=" + input.path)).json();
     const ran = await call.exec("ls"); await call.files.write("out.txt", page.a);
     const blob = await call.blobs.put(new TextEncoder().encode(ran.text));
     return { parts: [{ type: "text", text: page.a + ran.text + (await call.files.list(".")) }, { type: "media", mediaType: "text/plain", blob }] }`,
    `effect: "idempotent"`,
  );
  const manifest = { ...READS, files: "write", hosts: ["*.example.com"], exec: true };
  const one = {
    ...{ tool: "count", input: { path: "p" }, gives: /^p!lsout\.txt\n\[text\/plain\]$/ },
    fetch: (url: URL) => ({ body: JSON.stringify({ a: `${url.searchParams.get("q")}!` }) }),
    exec: (command: string) => ({ text: command, isError: false }),
  };
  expect(await failingTools({ code, manifest }, [one])).toEqual({});
});

test("PL5 a case of toolConformance gives the settings and secrets that the manifest names, and no others", async () => {
  const code = toolCode("return JSON.stringify(call.settings)");
  const manifest = { ...READS, settings: ["unit"], secrets: ["apiKey"] };
  const settings = { unit: "metric", apiKey: "k", other: 1 };
  const one = { tool: "count", input: { path: "p" }, settings, gives: /^{"unit":"metric","apiKey":"k"}$/ };
  expect(await failingTools({ code, manifest }, [one])).toEqual({});
});

test.each([
  ["names other files", { about: { files: ["index.js"] } }, "package.json and its manifest", "packs plugin.json"],
  ["asks for what nobody knows", { manifest: { ...READS, net: true } }, "package.json and its manifest", "tool/1"],
  ["asks and says it is pure", { manifest: { ...READS, pure: true } }, "its manifest asks", "pure asks for nothing"],
  [
    "imports",
    { code: toolCode(COUNTS, `effect: "read"`, `import fs from "node:fs";\n`) },
    "its code is one file",
    'import "node:fs" in line 1',
  ],
  [
    "offers another name each time",
    { code: toolCode(COUNTS).replace(`"count"`, `"c" + Math.random()`) },
    "it starts",
    "",
  ],
  ["has no description", { code: toolCode(COUNTS).replace("Counts.", " ") }, "its tools are described", "description"],
  ["has an effect of its own", { code: toolCode(COUNTS, `effect: "none"`) }, "its tools are described", "effect"],
  ["gives no result", { code: toolCode("return { text: 'x' }") }, "it gives what its case says: 1", "parts"],
  ["throws", { code: toolCode("throw new Error('no such file')") }, "it gives what its case says: 1", "no such file"],
  [
    "asks for more than its manifest",
    { code: toolCode("return call.exec('ls')") },
    "it gives",
    "does not ask for commands",
  ],
  [
    "writes and says that it reads",
    { code: toolCode(`await call.files.write("x", "y"); ${COUNTS}`), manifest: { ...READS, files: "write" } },
    "it gives what its case says: 1",
    "writes no files",
  ],
  [
    "changes more the second time and says idempotent",
    {
      code: toolCode(`await call.files.write("x" + Math.random(), "y"); ${COUNTS}`, `effect: "idempotent"`),
      manifest: { ...READS, files: "write" },
    },
    "it gives what its case says: 1",
    "a second time",
  ],
  [
    "mixes calls up",
    {
      code: toolCode(
        "last = input.path; await call.files.list('.'); return (await call.files.text(last)).split(' ').length + ' words'",
        `effect: "read"`,
        "let last;\n",
      ),
    },
    "calls at once",
    "",
  ],
  [
    "goes on for ever when it is given up",
    {
      code: toolCode(
        `call.signal.onabort = () => { for (;;); }; await call.files.list("."); await new Promise((on) => setTimeout(on, 20)); ${COUNTS}`,
      ),
    },
    "a call that nobody waits for",
    "did not stop",
  ],
] as const)("PL5 toolConformance notices a tool that %s", async (_, change, name, words) => {
  const failed = await failingTools({ code: toolCode(COUNTS), manifest: READS, ...change });
  const found = Object.entries(failed).filter(([title]) => title.startsWith(name));
  expect(found.map(([, reason]) => reason).join("\n")).toContain(words);
  expect(found).not.toEqual([]);
});

test("PL5 toolConformance notices a tool that says pure and is not, and one without a case", async () => {
  const failed = await failingTools(
    { code: toolCode("return String(Math.random())"), manifest: { contract: "tool/1", name: "words", pure: true } },
    [{ tool: "count", input: { path: "x" }, gives: /./ }],
  );
  expect(Object.keys(failed)).toEqual(["what is pure gives the same for the same arguments"]);
  const none = await failingTools({ code: toolCode(COUNTS), manifest: READS }, []);
  expect(Object.values(none)).toEqual(["count has a case"]);
  const wrong = await failingTools({ code: toolCode(COUNTS), manifest: READS }, [
    { tool: "count", input: { path: 3 }, gives: /./ },
  ]);
  expect(Object.values(wrong).join()).toContain("arguments of count");
});

const hookCode = (on: string): string =>
  `export const plugin = { contract: "hook/1", name: "quiet", on: { "call.before": ${on} } };`;
const DENIES = `({ record }) => record.name === "write_file" ? { deny: true, reason: "not today" } : undefined`;
const call = (name: string): HookSuite["cases"][number]["event"] => ({
  point: "call.before",
  record: { type: "call.proposed", call: "c", name, input: {}, effect: "write" },
});
const HOOK_CASES: HookSuite["cases"] = [
  { event: call("write_file"), says: { deny: /today/ } },
  { event: call("list_dir"), says: "nothing" },
];
const failingHooks = (
  code: string,
  cases = HOOK_CASES,
  manifest: object = { contract: "hook/1", name: "quiet" },
): Promise<Readonly<Record<string, string>>> =>
  failing((register) => hookConformance(register, { folder: written({ code, manifest }), cases }));

test("PL5 hookConformance passes what keeps to hook/1, at each of its points", async () => {
  expect(await failingHooks(hookCode(DENIES))).toEqual({});
  const points = ["turn.start", "message.in", "call.after", "turn.end"] as const;
  const on = points.map((point) => `"${point}": ({ record }) => ({ note: "a " + record.type })`).join(", ");
  const code = `export const plugin = { contract: "hook/1", name: "quiet", on: { ${on}, "reply.out": () => undefined } };`;
  const cases: HookSuite["cases"] = [
    ...points.map((point) => ({ event: { point, record: { type: point } }, says: { note: /^a / } })),
    { event: { point: "reply.out", record: { type: "reply.queued" } }, says: "nothing" },
  ];
  expect(await failingHooks(code, cases)).toEqual({});
});

test.each([
  ["asks for files", DENIES, { contract: "hook/1", name: "quiet", files: "read" }, "package.json", "does not know"],
  [
    "throws at what it does not know",
    `({ record }) => { if (record.later) throw new Error("later?") }`,
    undefined,
    "it answers",
    "later?",
  ],
  ["is late", "() => new Promise(() => {})", undefined, "it answers", "timeout"],
  ["says what no point takes", "() => ({ allow: true })", undefined, "it answers", "a note or denies"],
  ["says too much", `() => ({ deny: true, reason: "x".repeat(501) })`, undefined, "it answers", "at most 500"],
  [
    "denies what it lets pass in its case",
    `() => ({ deny: true, reason: "today" })`,
    undefined,
    "it says what its case says: 2",
    "",
  ],
] as const)("PL5 hookConformance notices a hook that %s", async (_, on, manifest, name, words) => {
  const failed = await failingHooks(hookCode(on), HOOK_CASES, manifest);
  const found = Object.entries(failed).filter(([title]) => title.startsWith(name));
  expect(found.map(([, reason]) => reason).join("\n")).toContain(words);
  expect(found).not.toEqual([]);
});

test("PL5 hookConformance notices a point without a case, and a note where none is taken", async () => {
  expect(Object.values(await failingHooks(hookCode(DENIES), []))).toEqual(["call.before has a case"]);
  const code = hookCode("").replace(`"call.before": `, `"reply.out": () => ({ note: "hm" })`);
  expect(Object.keys(await failingHooks(code, []))).toContain(
    "it answers each event of its points, with fields and without, in time and as the point allows",
  );
});
