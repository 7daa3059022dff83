import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { runNpm } from "../../src/features/plugins/npm.ts";
import { margay } from "./harness.ts";

/** A folder npm can install; npm itself needs PATH and a home. */
function folder(directory: string, name: string, code: string): string {
  const path = join(directory, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(
    join(path, "package.json"),
    JSON.stringify({ name, version: "1.0.0", type: "module", exports: "./index.js" }),
  );
  writeFileSync(join(path, "index.js"), code);
  return path;
}

function npmEnvironment(directory: string): Readonly<Record<string, string>> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: directory,
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  };
}

const PLUGIN = `export const plugin = { contract: "provider/1", id: "mine", name: "Mine", keys: [], settings: {}, secrets: {},
  create: () => { throw new Error("not asked here"); } };`;

test("plugin add takes a folder, shows what it runs; list shows it; remove takes it away", async () => {
  const app = margay();
  const env = npmEnvironment(app.directory);
  folder(app.directory, "margay-provider-mine", PLUGIN);
  const added = await app.run(["plugin", "add", "./margay-provider-mine", "--json"], { env });
  expect([added.code, added.err]).toEqual([0, expect.stringContaining("npm install --prefix")]);
  expect(added.err).toContain("--ignore-scripts");
  expect(added.lines).toMatchObject([{ package: "margay-provider-mine", version: "1.0.0", id: "mine" }]);

  const [listed] = (await app.run(["plugin", "list", "--json"])).lines;
  expect(listed?.["plugins"]).toContainEqual({
    package: "margay-provider-mine",
    version: "1.0.0",
    from: "installed",
    standing: "approved",
  });
  expect((await app.run(["plugin", "list"])).out).toMatch(/provider-bedrock +Amazon Bedrock +\S+ +beside margay/);
  expect((await app.run(["plugin", "list", "--lang", "zh-CN"])).out).toContain("已安装");

  const removed = await app.run(["plugin", "remove", "mine"], { env });
  expect([removed.code, removed.out]).toEqual([0, "margay-provider-mine is removed.\n"]);
  expect(existsSync(join(app.home, "plugins/node_modules/margay-provider-mine"))).toBe(false);
  expect((await app.run(["plugin", "remove", "mine"], { env })).err).toContain("[plugin.missing]");
});

test("a package that is no plugin is taken out again", async () => {
  const app = margay();
  folder(app.directory, "left-pad-again", "export const pad = 1;");
  const { code, err } = await app.run(["plugin", "add", "left-pad-again"], { env: npmEnvironment(app.directory) });
  expect([code, err]).toEqual([78, expect.stringContaining("[plugin.invalid]")]);
  expect(readFileSync(join(app.home, "plugins/package.json"), "utf8")).not.toContain("left-pad-again");
});

test("only our names, folders and tarballs are installed: a slip of the finger asks no registry", async () => {
  const app = margay();
  const { code, err } = await app.run(["plugin", "add", "provider-bedrok"]);
  expect(code).toBe(2);
  expect(err).toContain("Did you mean provider-bedrock?");
  expect(err).not.toContain("npm install");
});

test("npm that is stopped ends with why it was stopped, not as one that failed", async () => {
  const { directory } = margay();
  writeFileSync(join(directory, "npm"), "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
  const asked = new AbortController();
  const env = { PATH: `${directory}${delimiter}${process.env["PATH"] ?? ""}` };
  const ran = runNpm(["install"], { directory, env, signal: asked.signal });
  asked.abort(new Error("Ctrl+C"));
  await expect(ran).rejects.toThrow("Ctrl+C");
});

test("npm that is missing, or that fails, is said with its own words", async () => {
  const app = margay();
  const missing = await app.run(["plugin", "add", "bedrock"], { env: { PATH: app.directory } });
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("npm was not found")]);
  writeFileSync(join(app.directory, "broken.tgz"), "this is no archive");
  const failed = await app.run(["plugin", "add", "broken.tgz"], { env: npmEnvironment(app.directory) });
  expect([failed.code, failed.err]).toEqual([1, expect.stringContaining("[plugin.failed]")]);
  expect(failed.err).not.toContain("_logs");
});
