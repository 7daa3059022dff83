// The launcher, run as a program: in an installed package, under an old Node, and in a checkout that was not built.
import { spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const bin = join(import.meta.dirname, "../bin/margay.js");

/** A package folder with the launcher and the given files. */
function install(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "launcher-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "bin"));
  cpSync(bin, join(folder, "bin/margay.js"));
  for (const [path, text] of Object.entries({ "package.json": '{"version":"1.2.3","type":"module"}', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** A command line that is, or says it is, a Node too old for margay. */
function oldNode(folder: string): readonly [string, ...string[]] {
  for (const place of (process.env["PATH"] ?? "").split(delimiter)) {
    const candidate = join(place, "node");
    try {
      accessSync(candidate, constants.X_OK);
    } catch {
      continue; // not in this folder
    }
    const { stdout } = spawnSync(candidate, ["--version"], { encoding: "utf8" });
    if (/^v(20|22)\./.test(stdout)) return [candidate];
  }
  const pretend = join(folder, "old.mjs"); // says so once: the Node that is started in its place says the truth
  writeFileSync(
    pretend,
    'if (process.env.OLD) { delete process.env.OLD; Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } }); }\n',
  );
  process.env["OLD"] = "1";
  onTestFinished(() => void delete process.env["OLD"]);
  return [process.execPath, "--import", pretend];
}

function withNode24(folder: string): string {
  mkdirSync(join(folder, "node_modules/node/bin"), { recursive: true });
  symlinkSync(process.execPath, join(folder, "node_modules/node/bin/node"));
  return join(folder, "bin/margay.js");
}

function run(
  command: readonly string[],
  input = "",
  extra: Readonly<Record<string, string | undefined>> = {},
): { code: number | null; out: string; err: string } {
  const [program = "", ...args] = command;
  const env = { ...process.env, XDG_CACHE_HOME: tmpdir(), ...extra };
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", input, env });
  return { code: status, out: stdout, err: stderr };
}

test("--version prints the version and needs nothing but package.json", () => {
  const folder = install({});
  const version = { code: 0, out: "1.2.3\n", err: "" };
  expect(run([process.execPath, join(folder, "bin/margay.js"), "--version"])).toEqual(version);
  expect(run([...oldNode(folder), join(folder, "bin/margay.js"), "-V"])).toEqual(version);
});

test("the built program runs with the arguments and standard input it was given", () => {
  const folder = install({
    "dist/main.js":
      'import fs from "node:fs"; console.log(process.argv.slice(2).join("|"), fs.readFileSync(0, "utf8"));\n',
  });
  expect(run([process.execPath, join(folder, "bin/margay.js"), "agent", "-m", "a b"], "hello")).toEqual({
    code: 0,
    out: "agent|-m|a b hello\n",
    err: "",
  });
});

test("an old Node starts the Node 24 of the checkout and ends as it ends", () => {
  const folder = install({
    "dist/main.js": "console.log(process.version, process.argv[2]); process.exitCode = 75;\n",
  });
  const margay = withNode24(folder);
  expect(run([...oldNode(folder), margay, "status"])).toEqual({
    code: 75,
    out: `${process.version} status\n`,
    err: "",
  });
});

test("an old Node without Node 24 says in one sentence what to install", () => {
  const folder = install({ "dist/main.js": "" });
  const nowhere = { HOME: folder, XDG_DATA_HOME: "", NVM_DIR: "", FNM_DIR: "", VOLTA_HOME: "", PATH: folder };
  const { code, out, err } = run([...oldNode(folder), join(folder, "bin/margay.js"), "status"], "", nowhere);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(
    /^margay needs Node 24\.15 or newer and this is v\S+: install it from https:\/\/nodejs\.org .*: npx -p node@24 -p margay margay\n$/,
  );
});

test.for([
  ["nvm", ".nvm/versions/node/v24.15.0/bin/node"],
  ["fnm", ".local/share/fnm/node-versions/v25.1.0/installation/bin/node"],
  ["volta", ".volta/tools/image/node/24.20.1/bin/node"],
  ["PATH", "programs/node"],
] as const)("an old Node finds a newer one that the machine has: %s", ([, place]) => {
  const folder = install({
    "dist/main.js": "console.log(process.argv[2]);\n",
    ".nvm/versions/node/v22.0.0/bin/node": "", // too old, so nobody starts it
  });
  mkdirSync(join(folder, dirname(place)), { recursive: true });
  // Another file than the Node that pretends to be old.
  writeFileSync(join(folder, place), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, { mode: 0o755 });
  const [program, ...args] = oldNode(folder);
  const env = { HOME: folder, XDG_DATA_HOME: "", PATH: `relative:${join(folder, "programs")}` };
  expect(run([program, ...args, join(folder, "bin/margay.js"), "status"], "", env)).toEqual({
    code: 0,
    out: "status\n",
    err: "",
  });
});

test.for([
  ["global", "prefix/lib/node_modules", "prefix/bin/margay", "", "margay"],
  ["global, of another manager", "pnpm/5/node_modules", "programs/margay", "programs", "margay"],
  [
    "npx",
    ".npm/_npx/0a/node_modules",
    ".npm/_npx/0a/node_modules/.bin/margay",
    ".npm/_npx/0a/node_modules/.bin",
    "npx margay",
  ],
  ["in a project", "project/node_modules", "project/node_modules/.bin/margay", "", "npx margay"],
] as const)("DF49 what is installed says what this person types: %s", ([, modules, link, path, typed]) => {
  const folder = install({});
  for (const [file, text] of [
    [`${modules}/margay/package.json`, '{"type":"module"}'],
    [`${modules}/margay/dist/main.js`, "console.log(process.env.MARGAY_COMMAND);"],
    [link, ""],
  ] as const) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  cpSync(join(folder, "bin"), join(folder, modules, "margay/bin"), { recursive: true });
  const command = [process.execPath, join(folder, modules, "margay/bin/margay.js"), "status"];
  const env = { HOME: folder, PATH: path === "" ? "" : join(folder, path), MARGAY_COMMAND: undefined };
  expect(run(command, "", env)).toEqual({ code: 0, out: `${typed}\n`, err: "" });
  // Whoever starts it otherwise knows better: npm start, a container.
  const known = { ...env, MARGAY_COMMAND: "docker compose exec margay margay" };
  expect(run(command, "", known).out).toBe("docker compose exec margay margay\n");
});

test("a checkout that was not built runs from its sources", () => {
  const folder = install({
    "src/main.ts":
      'const flags: readonly string[] = process.execArgv;\nconsole.log(flags.join(" "), process.argv[2]);\n',
  });
  const { code, out } = run([process.execPath, join(folder, "bin/margay.js"), "status"]);
  expect({ code, out }).toEqual({ code: 0, out: "--conditions=margay-source status\n" });
});

test.for([
  [
    "the program decides how a signal ends it",
    'process.on("SIGTERM", () => process.exit(5));',
    { code: 5, signal: null },
  ],
  ["a program that dies of a signal takes the launcher with it", "", { code: null, signal: "SIGTERM" }],
] as const)("signals go through to the Node 24 behind an old one: %s", async ([, handler, end]) => {
  const folder = install({ "dist/main.js": `${handler}\nsetInterval(() => {}, 1000);\nconsole.log("ready");\n` });
  const margay = withNode24(folder);
  const [program, ...args] = oldNode(folder);
  const child = spawn(program, [...args, margay], { stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.once("data", () => child.kill("SIGTERM"));
  const ended = await new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  expect(ended).toEqual(end);
});
