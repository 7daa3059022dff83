// What a stranger gets from the registry: packed, installed in an empty directory, run there with nothing else.
import { execFile, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "packed-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => run(process.execPath, [join(root, "scripts/build.mjs")]), 120_000); // nothing to do after `npm test` built

function run(command: string, args: readonly string[], options: { cwd?: string; home?: string } = {}): string {
  const { PATH = "" } = process.env;
  const { home } = options;
  // The program gets a stranger's environment; npm the one it needs to find its configuration.
  const env =
    home === undefined
      ? { ...process.env, NODE_OPTIONS: "" }
      : { PATH, HOME: home, MARGAY_HOME: home, LANG: "C.UTF-8" };
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: options.cwd ?? root,
    encoding: "utf8",
    env,
    timeout: 110_000,
  });
  expect({ command, args, status, error, ...(status !== 0 && { stdout, stderr }) }).toEqual({
    command,
    args,
    status: 0,
    error: undefined,
  });
  return stdout;
}

function pack(name: string): string {
  const [packed] = JSON.parse(
    run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: join(root, "packages", name) }),
  ) as [{ filename: string }];
  return join(folder, packed.filename);
}

async function complaints(tarball: string): Promise<readonly (string | undefined)[]> {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    strict: true,
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
  });
  return messages.map((message) => formatMessage(message, pkg, { color: false }));
}

function megabytes(path: string): number {
  const stat = statSync(path);
  return stat.isFile()
    ? stat.size / 1e6
    : readdirSync(path).reduce((sum, name) => sum + megabytes(join(path, name)), 0);
}

test("the app installs in an empty directory in under 12 MB, needs no other package, and runs", async () => {
  const tarball = pack("app");
  expect(await complaints(tarball)).toEqual([]);

  const empty = join(folder, "app");
  run("npm", ["install", "--prefix", empty, "--offline", "--no-audit", "--no-fund", tarball]);
  expect(readdirSync(join(empty, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["margay"]);
  expect(megabytes(join(empty, "node_modules"))).toBeLessThan(12);
  expect(readFileSync(join(empty, "node_modules/margay/NOTICE"), "utf8")).toContain("commander 15");

  const margay = join(empty, "node_modules/.bin/margay");
  const home = join(folder, "home");
  const { version } = JSON.parse(readFileSync(join(root, "packages/app/package.json"), "utf8")) as {
    version: string;
  };
  expect(run(process.execPath, [margay, "--version"], { cwd: empty })).toBe(`${version}\n`);
  expect(run(process.execPath, [margay, "--help"], { cwd: empty, home })).toContain("Usage: npx margay");

  mkdirSync(join(home, "workspace"), { recursive: true }); // the default workspace (R319)
  writeFileSync(join(home, "workspace/README.md"), "# Otters\n\nThis folder is about otters.\n");
  const answer = run(process.execPath, [margay, "agent", "-m", "read README.md"], { cwd: empty, home });
  expect(answer).toContain("otters");
  // Searching runs in a thread of its own, which the bundle holds as a file of its own.
  await using model = await startMockModel();
  model.replies(callsTool("search_files", { pattern: "otters" }), says("Found."));
  const providers = { mock: { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "key-of-the-mock" } };
  writeFileSync(join(home, "config.json"), JSON.stringify({ model: "mock/m", providers }), { mode: 0o600 });
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: home, MARGAY_HOME: home, LANG: "C.UTF-8" };
  await promisify(execFile)(process.execPath, [margay, "agent", "-m", "find the otters"], { cwd: empty, env });
  expect(model.requests.at(-1)?.toolResults.at(-1)?.text).toContain("README.md:3");
});

test("an installation for all brings the man page, where `man margay` finds it", () => {
  const prefix = join(folder, "global");
  run("npm", ["install", "-g", "--prefix", prefix, "--offline", "--no-audit", "--no-fund", pack("app")]);
  const page = join(prefix, "share/man/man1/margay.1");
  const shown = spawnSync("man", ["--warnings", "-M", join(prefix, "share/man"), "margay"], {
    ...{ encoding: "utf8", env: { PATH: process.env["PATH"], MANPAGER: "cat", LC_ALL: "C.UTF-8" } },
  });
  expect({ status: shown.status, warnings: shown.stderr }).toEqual({ status: 0, warnings: "" });
  expect(shown.stdout).toContain("margay sessions export");
  // Of this very program: the same as it writes itself.
  const margay = join(prefix, "bin/margay");
  const day = Math.floor(Date.parse(/^\.TH MARGAY 1 (\S+)/m.exec(readFileSync(page, "utf8"))?.[1] ?? "") / 1000);
  const written = spawnSync(process.execPath, [margay, "completion", "man"], {
    ...{ encoding: "utf8", env: { PATH: process.env["PATH"], HOME: folder, SOURCE_DATE_EPOCH: `${day}`, LANG: "C" } },
  });
  expect(readFileSync(page, "utf8")).toBe(written.stdout);
});

test("what asks a process that runs does not load the agent", () => {
  const dist = join(root, "packages/app/dist");
  const files = new Set(["main.js"]);
  for (const file of files)
    // Of modules, and of scripts (scripts/lib/hot-chunks.mjs); what is `given` is loaded when it is called for.
    for (const [, next = ""] of readFileSync(join(dist, file), "utf8").matchAll(
      /(?:(?:from|import)"\.\/|(?<!given=__)chunk\(")([\w.-]+\.c?js)"/g,
    ))
      files.add(next);
  const code = [...files].map((file) => readFileSync(join(dist, file), "utf8")).join("");
  const holds = (name: string): boolean => code.includes(`function ${name}(`);
  // Of `margay agent` and of the door; and of the agent.
  expect(["answerView", "connectDoor", "createAgent", "compose"].map(holds)).toEqual([true, true, false, false]);
  expect(code.length).toBeLessThan(480_000); // texts in Chinese are six characters each in a script
});

test("the library is packed with code and types for each of its entries", async () => {
  expect(await complaints(pack("core"))).toEqual([]);
});

test("R308 the packed library alone, with the packages it names, completes a turn in an empty project", () => {
  const project = join(folder, "consumer");
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, "@margay"), { recursive: true });
  run("tar", ["-xzf", pack("core"), "-C", join(modules, "@margay")]);
  renameSync(join(modules, "@margay/package"), join(modules, "@margay/core"));
  const { dependencies } = JSON.parse(readFileSync(join(modules, "@margay/core/package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  // What npm would install, from what is installed here: no network in a test.
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  mkdirSync(join(project, "workspace"));
  writeFileSync(join(project, "workspace/otters.txt"), "Otters hold hands.\n");
  writeFileSync(join(project, "consumer.mjs"), CONSUMER);
  const out = run(process.execPath, ["consumer.mjs"], { cwd: project, home: join(project, "home") });
  expect(out).toBe("It says: Otters hold hands.\n");
});

/** A provider of one line: asks for the file, then repeats what it read. */
const CONSUMER = `
import { createAgentLoop, providerFromChat } from "@margay/core";

const provider = providerFromChat((messages) => {
  const read = messages.findLast((message) => message.role === "tool");
  if (read === undefined) return { calls: [{ name: "read_file", arguments: { path: "otters.txt" } }] };
  return { content: "It says: " + /Otters.*/.exec(read.content)[0] };
});
await using loop = await createAgentLoop({ provider, workspace: "workspace", directory: "state" });
console.log(await loop.processDirect("what does otters.txt say?"));
`;
