import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { link, mkdir, open, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, relative } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { classifyPath } from "../../src/lib/paths/path-class.ts";
import { type Answer, type FileBench, fileBench } from "./file-support.ts";

interface Setup {
  readonly op: string;
  readonly path: string;
  readonly text?: string;
  readonly target?: string;
  readonly bytes?: number;
  readonly hex?: string;
}
interface Case {
  readonly id: string;
  readonly tool: string;
  readonly path: string;
  readonly expect: string;
  readonly intent: string;
  readonly platform: string;
  readonly setup?: readonly Setup[];
  readonly args?: {
    readonly content?: string;
    readonly content_repeat?: number;
    readonly old_text?: string;
    readonly new_text?: string;
  };
  readonly canary?: {
    readonly type: string;
    readonly secret?: string;
    readonly path?: string;
    readonly text?: string;
    readonly name?: string;
    readonly max?: number;
    readonly max_ms?: number;
    readonly max_bytes?: number;
  };
  readonly race?: { readonly swap: string; readonly with_symlink_to: string };
}

const SECRET = "FILESECRET-5b1f9c77";
const TRIES = 200; // of the 2,000 that the corpus names: enough for every commit
const cases = readFileSync(new URL("../fixtures/paths.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case); // the corpus has this shape
/** The corpus swaps directories; the last name can be swapped as well. */
const OWN: Case = {
  id: "own-1",
  tool: "read_file",
  path: "f.txt",
  expect: "deny_always",
  intent: "file swapped for a symlink during the call",
  platform: "any",
  setup: [{ op: "file", path: "@WS@/f.txt", text: "inside\n" }],
  race: { swap: "@WS@/f.txt", with_symlink_to: "@OUT@/secret.txt" },
};
const ours = cases.filter((each) => each.tool !== "install_archive");
const here = process.platform;

describe("R16 R279 FS1 path corpus", () => {
  const plain = ours.filter((each) => each.race === undefined && !each.expect.startsWith("ask"));
  test.each(plain.map((each) => [each.id, each.tool, each.intent, each] as const))(
    "%s %s: %s",
    async (_id, _tool, _intent, each) => {
      const bench = await planted();
      const fill = filler(bench);
      for (const step of each.setup ?? []) await prepareStep(step, fill);
      const before = snapshot(each, fill);
      const memory = process.memoryUsage().rss;
      const started = performance.now();
      const answer = await bench.call(each.tool, { path: fill(each.path), ...argumentsOf(each) });
      const found = { ms: performance.now() - started, bytes: process.memoryUsage().rss - memory };
      expect(verdict(each, answer)).toBe("as expected");
      expect(harm(each, answer, before, fill, found)).toBe("none");
    },
  );

  const asked = ours.filter((each) => each.expect.startsWith("ask"));
  test.each(asked.map((each) => [each.id, each.path, each.intent, each] as const))(
    "%s %s needs an approval: %s",
    (_id, _path, _intent, each) => {
      // What the policy asks about; names that only case-insensitive file systems confuse are asked about everywhere.
      expect(classifyPath("/home/me/ws", each.path, ["/home/me/state"])).toBe("protected");
    },
  );

  // Elsewhere Node.js cannot rename inside a directory that it holds open: a write that races is told, not prevented.
  const races = [...ours, OWN].filter(
    (each) => each.race !== undefined && (here === "linux" || each.tool === "read_file"),
  );
  test("every case is run or counted: archives belong to skills, one race to Linux", () => {
    expect({
      archives: cases.length - ours.length,
      plain: plain.length,
      asked: asked.length,
      races: races.length,
    }).toEqual({
      archives: 6,
      plain: 84,
      asked: 9,
      races: here === "linux" ? 3 : 2,
    });
  });

  test.each(races.map((each) => [each.id, each.tool, each.intent, each] as const))(
    "%s %s: %s",
    async (_id, _tool, _intent, each) => {
      const bench = await planted();
      const fill = filler(bench);
      for (const step of each.setup ?? []) await prepareStep(step, fill);
      const swap = fill(each.race?.swap ?? "");
      const target = fill(each.race?.with_symlink_to ?? "");
      const aside = `${swap}-aside`;
      let leaks = 0;
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const call = bench.call(each.tool, { path: each.path, ...argumentsOf(each) });
        let done = false;
        const answer = call.finally(() => (done = true));
        // Swapped back and forth for as long as the call runs, at other moments each time.
        for (let turn = 0; !done && turn < 50; turn += 1) {
          await ticks(attempt % 7);
          swapIn(swap, aside, target);
          await ticks((attempt + turn) % 5);
          swapBack(swap, aside);
        }
        if ((await answer).text.includes(SECRET) || existsSync(join(bench.outside, "new.txt"))) leaks += 1;
        if (each.tool === "write_file") rmSync(join(swap, "new.txt"), { force: true });
      }
      expect(leaks).toBe(0);
    },
  );
});

async function planted(): Promise<FileBench> {
  const bench = await fileBench();
  const files: Readonly<Record<string, string>> = {
    "ws/a.txt": "hello\n",
    "out/secret.txt": `${SECRET}\n`,
    "out/keep/file.txt": "keep\n",
    "home/.ssh/id_rsa": `SSH-${SECRET}\n`,
    "home/.bashrc": "# mine\n",
    "state/config.json": `{"key":"CFG-${SECRET}"}\n`,
    "state/cron/jobs.json": "[]\n",
  };
  for (const [path, text] of Object.entries(files)) await writeFileIn(join(bench.base, path), text);
  return bench;
}

function filler(bench: FileBench): (text: string) => string {
  const values: Readonly<Record<string, string>> = {
    WS: bench.workspace,
    OUT: bench.outside,
    REL_OUT: relative(bench.workspace, bench.outside),
    HOME: join(bench.base, "home"),
    STATE: bench.state,
  };
  return (text) => text.replaceAll(/@([A-Z_]+)@/g, (_, name: string) => values[name] ?? name);
}

async function writeFileIn(path: string, data: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, data);
}

async function prepareStep(step: Setup, fill: (text: string) => string): Promise<void> {
  const path = fill(step.path);
  const target = fill(step.target ?? "");
  const bytes = step.bytes ?? 0;
  if (step.op === "mkdir") await mkdir(path, { recursive: true });
  else if (step.op === "file") await writeFileIn(path, step.text ?? "");
  else if (step.op === "symlink") await symlink(target, path);
  else if (step.op === "hardlink") await link(target, path);
  else if (step.op === "fifo") execFileSync("mkfifo", [path]);
  else if (step.op === "hex") await writeFileIn(path, Buffer.from(step.hex ?? "", "hex"));
  else if (step.op === "random") await writeFileIn(path, randomBytes(bytes));
  else if (step.op === "fill") await writeFileIn(path, Buffer.alloc(bytes, "x"));
  else if (step.op === "sparse") {
    await (await open(path, "w")).close();
    await truncate(path, bytes);
  } else if (step.op === "socket") {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(path, resolve));
    onTestFinished(() => void server.close());
  } else throw new Error(`the corpus has a step this test does not know: ${step.op}`);
}

function argumentsOf(each: Case): Record<string, unknown> {
  const { content, content_repeat: repeat, old_text: oldText, new_text: newText } = each.args ?? {};
  return {
    ...(content !== undefined && { content }),
    ...(repeat !== undefined && { content: "x".repeat(repeat) }),
    ...(oldText !== undefined && { old_text: oldText }),
    ...(newText !== undefined && { new_text: newText }),
  };
}

function snapshot(each: Case, fill: (text: string) => string): string | undefined {
  const path = each.canary?.type === "unchanged" ? fill(each.canary.path ?? "") : undefined;
  return path === undefined ? undefined : readFileSync(path, "utf8");
}

function verdict(each: Case, answer: Answer): string {
  const isError = answer.status === "error" && /^(?:Error|Parameter error): /.test(answer.text);
  const met: Readonly<Record<string, boolean>> = {
    deny: isError,
    deny_or_not_found: isError,
    deny_or_inside: true, // what may not happen is the canary
    deny_or_replace: true,
    error: isError,
    limit: isError || /cut after|Continue with/.test(answer.text),
    binary: isError && answer.text.includes("is not text ("),
    allow: answer.status === "ok",
  };
  return met[each.expect] === true
    ? "as expected"
    : `${each.expect} expected, got: ${answer.status} ${answer.text.slice(0, 300)}`;
}

/** What must never happen, as the corpus' canary says. */
function harm(
  each: Case,
  answer: Answer,
  before: string | undefined,
  fill: (text: string) => string,
  found: { readonly ms: number; readonly bytes: number },
): string {
  const canary = each.canary;
  const path = fill(canary?.path ?? "");
  if (answer.text.includes(SECRET) || answer.text.includes("PATH=")) return "a secret is in the answer";
  if (canary?.type === "leaked_name" && answer.text.split("\n").some((line) => line.startsWith(canary.name ?? "?")))
    return "a name leaked";
  if (canary?.type === "absent" && existsSync(path)) return "a file was made";
  if (canary?.type === "unchanged" && readFileSync(path, "utf8") !== before) return "a file was changed";
  if (canary?.type === "content_has" && !answer.text.includes(canary.text ?? "")) return "the content is missing";
  if (canary?.type === "file_is" && readFileSync(path, "utf8") !== canary.text) return "the file is another";
  if (canary?.type === "result_bytes" && Buffer.byteLength(answer.text) > (canary.max ?? 0))
    return "the answer is too long";
  if (canary?.type === "wall" && found.ms > (canary.max_ms ?? 0)) return `it took ${found.ms} ms`;
  if (canary?.type === "memory" && found.bytes > (canary.max_bytes ?? 0)) return `it took ${found.bytes} bytes`;
  return "none";
}

/** The tool may make the directory anew in between: then it is the swapper that tries again. */
function swapIn(swap: string, aside: string, target: string): void {
  renameSync(swap, aside);
  untilDone(() => {
    rmSync(swap, { recursive: true, force: true });
    symlinkSync(target, swap);
  });
}

function swapBack(swap: string, aside: string): void {
  unlinkSync(swap);
  untilDone(() => {
    rmSync(swap, { recursive: true, force: true });
    renameSync(aside, swap);
  });
}

function untilDone(step: () => void): void {
  for (let attempt = 0; ; attempt += 1)
    try {
      step();
      return;
    } catch (error) {
      if (attempt > 100) throw error;
    }
}

async function ticks(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
}

test("FS2 a link that leads outside is neither written through nor replaced", async () => {
  const bench = await planted();
  await symlink(join(bench.outside, "keep/file.txt"), join(bench.workspace, "l"));
  expect((await bench.call("write_file", { path: "l", content: "evil" })).text).toBe(
    `Error: l is outside the workspace. Next: use a path inside ${bench.workspace}.`,
  );
  expect(await readFile(join(bench.workspace, "l"), "utf8")).toBe("keep\n");
});
