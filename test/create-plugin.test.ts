// `npm create margay-plugin` as a stranger gets it: packed, run in an empty folder, for each kind. What it writes is built, type-checked,
// passes its own suite with the packed library, is packed, added to a fresh home and used there. No network.
import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "create a plugin-")));
const modules = join(folder, "node_modules");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, args: readonly string[], cwd: string, extra: NodeJS.ProcessEnv = {}) {
  return new Promise<{ readonly code: number | null; readonly out: string }>((resolve, reject) => {
    const env = { ...process.env, NODE_OPTIONS: "", npm_config_offline: "true", LANG: "C.UTF-8", ...extra };
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
    let out = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out }));
  });
}

/** As far as it is used here. */
interface Template {
  startPlatform(token: string): Promise<
    AsyncDisposable & {
      readonly url: string;
      readonly taken: ReadonlyMap<string, { readonly chat: string; readonly text: string }>;
      write(id: number, chat: string, text: string): void;
    }
  >;
}

/** A message of a person at the platform of the template reaches the model through a gateway, and the answer comes back. */
async function speaksOver(own: string, home: string, config: object): Promise<string> {
  const { startPlatform } = (await import(join(own, "test/platform.ts"))) as Template; // of templates/channel
  await using platform = await startPlatform("right-token");
  const channels = {
    "my-own": { enabled: true, kind: "my-own", token: "right-token", baseUrl: platform.url, allowFrom: ["ada"] },
  };
  writeFileSync(join(home, "config.json"), JSON.stringify({ ...config, channels, gateway: { port: 0 } }), {
    mode: 0o600,
  });
  const env = { ...process.env, NODE_OPTIONS: "", HOME: home, MARGAY_HOME: home };
  const bin = join(root, "packages/app/bin/margay.js");
  const gateway = spawn(process.execPath, [bin, "gateway", "--no-open"], { env, stdio: "ignore" });
  const ended = new Promise((resolve) => gateway.once("close", resolve));
  try {
    platform.write(1, "ada", "hello");
    // First a person is told that it is a program which answers.
    await expect.poll(() => platform.taken.size, { timeout: 40_000 }).toBeGreaterThan(1);
    return [...platform.taken.values()].map(({ chat, text }) => `${chat}: ${text}`).at(-1) ?? "";
  } finally {
    gateway.kill("SIGTERM");
    await ended;
  }
}

async function unpacked(name: string, as: string): Promise<void> {
  const packed = await run(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
    join(root, "packages", name),
  );
  const [{ filename }] = JSON.parse(packed.out.slice(packed.out.indexOf("["))) as [{ filename: string }];
  const into = join(folder, `unpacked-${name}`);
  mkdirSync(into);
  await run("tar", ["-xzf", join(folder, filename), "-C", into], folder);
  mkdirSync(dirname(join(modules, as)), { recursive: true });
  renameSync(join(into, "package"), join(modules, as));
}

beforeAll(async () => {
  await run(process.execPath, [join(root, "scripts/build.mjs")], root); // nothing to do after `npm test` built
  await unpacked("core", "@margay/core");
  await unpacked("create-margay-plugin", "create-margay-plugin");
  const { dependencies } = JSON.parse(readFileSync(join(modules, "@margay/core/package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  // What npm would install, from what is installed here.
  for (const name of [...Object.keys(dependencies), "typescript", "@types/node"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
}, 120_000);

const node = (args: readonly string[], cwd: string, extra: NodeJS.ProcessEnv = {}) =>
  run(process.execPath, args, cwd, extra);
const CREATE = join(modules, "create-margay-plugin/bin/create-margay-plugin.js");
const TSC = join(root, "node_modules/typescript/bin/tsc");

/** @returns its folder and tarball, after its own tests and both ways of resolving. */
async function made(kind: string): Promise<string> {
  const said = await node([CREATE, "--kind", kind, "--name", "my-own"], folder);
  expect(said).toMatchObject({ code: 0, out: expect.stringContaining(`cd margay-${kind}-my-own\n  npm install\n`) });
  const own = join(folder, `margay-${kind}-my-own`);
  const bundler = ["--noEmit", "--module", "esnext", "--moduleResolution", "bundler"];
  for (const args of [
    ["-p", "."],
    ["-p", "test"],
    ["-p", ".", ...bundler],
  ])
    expect(await node([TSC, ...args], own)).toEqual({ code: 0, out: "" });
  const tests = await node(["--test", "--test-timeout=20000", "--test-reporter=tap", "test/plugin.test.ts"], own);
  expect({
    code: tests.code,
    failed: /^# fail (\d+)/m.exec(tests.out)?.[1],
    out: tests.code === 0 ? "" : tests.out,
  }).toEqual({ code: 0, failed: "0", out: "" });
  const packed = await run("npm", ["pack", "--json", "--ignore-scripts"], own);
  const [{ filename }] = JSON.parse(packed.out.slice(packed.out.indexOf("["))) as [{ filename: string }];
  return join(own, filename);
}

test.each(["tool", "hook", "provider", "channel"])(
  "PL6 a new %s passes its suite, type-checks, packs, and works in a fresh home",
  async (kind) => {
    const tarball = await made(kind);
    const home = join(folder, `home-${kind}`);
    mkdirSync(join(home, "workspace"), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, "workspace/a.txt"), "one two three\n");
    const margay = (args: readonly string[]) =>
      node([join(root, "packages/app/bin/margay.js"), ...args], folder, { HOME: home, MARGAY_HOME: home });
    await using model = await startMockModel({ rules: "off" });
    const own = { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "key-of-the-mock" };
    const { api: _, ...bare } = own;
    const isProvider = kind === "provider";
    const config = {
      model: isProvider ? "my-own/m" : "mock/m",
      providers: isProvider ? { "my-own": bare } : { mock: own },
    };
    writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
    expect(await margay(["plugin", "add", tarball, "--yes"])).toMatchObject({ code: 0 });
    const write = callsTool("write_file", { path: "archive/a.txt", content: "x" });
    if (kind === "tool") model.replies(callsTool("plugin_my-own_count", { path: "a.txt" }));
    if (kind === "hook") model.replies(write);
    model.replies(says("done"));
    const said =
      kind === "channel" ? await speaksOver(dirname(tarball), home, config) : (await margay(["agent", "-m", "go"])).out;
    expect(said).toContain("done");
    const heard = JSON.stringify(model.requests.at(-1)?.body);
    const words = { tool: "3 words", hook: "the archive is not written to", provider: "go", channel: "hello" }[kind];
    expect(heard).toContain(words ?? "nothing");
  },
  60_000,
);

test("PL6 nothing is written over what is there, and what is no kind or name is said", async () => {
  mkdirSync(join(folder, "there"));
  writeFileSync(join(folder, "there/mine.txt"), "mine");
  const refused = async (...args: readonly string[]) => (await node([CREATE, ...args], folder)).out;
  expect(await refused("--kind", "tool", "--name", "x", "there")).toContain("there is there and not empty");
  expect(await refused("--kind", "skill", "--name", "x")).toContain('There is no kind "skill"');
  expect(await refused("--kind", "tool", "--name", "X/..")).toContain("is no name of a plugin");
  expect(await refused("--kind", "tool")).toContain("The kind or the name is missing");
  expect((await node([CREATE], folder, { LANG: "zh_CN.UTF-8" })).out).toContain("缺少种类或名称");
});
