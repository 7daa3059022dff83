// The release as the forge runs it: packed, installed by root and by a user, tried out; and its way to the registry, which is a real
// HTTP server here that refuses once in the middle.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "release-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function node(script: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const child = spawn(process.execPath, [script, ...args], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, out, err }));
  });
}

test("the packages install from their tarballs in empty directories, for root and a user, on Node 24 and through the launcher, and do the main job", async () => {
  const { code, out, err } = await node(join(root, "scripts/release.mjs"), ["--dry-run", "--offline"], {
    ...process.env,
    NODE_OPTIONS: "",
  });
  const rows = out.split("\n");
  expect({ code, failed: rows.filter((row) => row.startsWith("FAILED")), err: code === 0 ? "" : err }).toEqual({
    code: 0,
    failed: [],
    err: "",
  });
  for (const row of ["npm install -g", "npx", "practice: list the files here", "gateway answers /health"])
    expect(rows).toContain(`ok      user: ${row}`);
  expect(rows.at(-2)).toMatch(/^release: \d+ passed, 0 failed$/);
}, 300_000);

/** A checkout of what the release reads: packages, lock, changelog and the two sources with a version. */
function tree(): string {
  const folder = temporary();
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, unknown>;
  };
  const manifests = Object.keys(packages)
    .filter((path) => /^(packages|plugins)\/[^/]+$/.test(path))
    .map((path) => `${path}/package.json`);
  const sources = ["packages/core/src/journal/upgrade.ts", "packages/app/src/features/mcp/client/client.ts"];
  for (const path of [...manifests, ...sources, "package-lock.json", "CHANGELOG.md"]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  return folder;
}

/** Asks the script's own module, as it is not built for TypeScript. */
async function ask(code: string): Promise<unknown> {
  const script = join(temporary(), "ask.mjs");
  writeFileSync(
    script,
    `import * as packages from "${join(root, "scripts/lib/release/packages.mjs")}";\nimport * as publish from "${join(root, "scripts/lib/release/publish.mjs")}";\nimport * as stage from "${join(root, "scripts/lib/release/stage.mjs")}";\n${code}`,
  );
  const { out, err } = await node(script, []);
  return out === "" ? err : JSON.parse(out);
}

test("a version is written wherever it stands, and a place that says another one is named", async () => {
  const folder = tree();
  const all = `const tree = ${JSON.stringify(folder)}; const list = () => packages.publishedPackages(tree);`;
  expect(await ask(`${all} console.log(JSON.stringify(packages.versionFaults(tree, list())));`)).toEqual([]);
  const bump = `${all} packages.writeVersion(tree, list(), "7.1.0-rc.2", "2027-01-02");`;
  expect(
    await ask(
      `${bump} console.log(JSON.stringify([packages.versionFaults(tree, list()), packages.versionOf(list()), packages.isInChangelog(tree, "7.1.0-rc.2")]));`,
    ),
  ).toEqual([[], "7.1.0-rc.2", true]);
  expect(readFileSync(join(folder, "CHANGELOG.md"), "utf8")).toContain("## Unreleased\n\n## 7.1.0-rc.2 (2027-01-02)\n");
  const source = join(folder, "packages/core/src/journal/upgrade.ts");
  writeFileSync(source, readFileSync(source, "utf8").replace("7.1.0-rc.2", "7.1.0"));
  expect(await ask(`${all} console.log(JSON.stringify(packages.versionFaults(tree, list())));`)).toEqual([
    "packages/core/src/journal/upgrade.ts says 7.1.0",
  ]);
});

test("what is published has the address of its source, absolute links and nothing of the checkout", async () => {
  const said = await ask(`
    const one = packages.publishedPackages(${JSON.stringify(root)}).find(({ name }) => name === "@margay/core");
    const { repository, exports, devDependencies } = stage.manifestOf(one, "https://github.com/me/margay");
    const links = stage.absoluteLinks("[a](../../docs/a.md#b) [c](guide.md)", "https://github.com/me/margay/blob/v1.0.0", one.folder);
    console.log(JSON.stringify({ repository, names: Object.keys(exports), text: JSON.stringify(exports), devDependencies, links }));`);
  expect(said).toEqual({
    repository: { type: "git", url: "git+https://github.com/me/margay.git", directory: "packages/core" },
    names: [".", "./state", "./builtin", "./plugin", "./testing"],
    text: expect.not.stringContaining("src/") as string,
    links: "[a](https://github.com/me/margay/blob/v1.0.0/docs/a.md#b) [c](guide.md)",
  });
});

test("a release that broke off in the middle is finished by the same command, and other bytes under a version are refused", async () => {
  const there = new Map<string, string>();
  let refusals = 1;
  const registry = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? "").slice(1));
    if (request.method === "PUT") {
      let text = "";
      request.on("data", (part) => (text += String(part)));
      request.on("end", () => {
        if (name === "@margay/two" && refusals-- > 0) return response.writeHead(503).end("{}");
        const { versions } = JSON.parse(text) as { versions: Record<string, { dist: { integrity: string } }> };
        there.set(name, versions["1.0.0"]?.dist.integrity ?? "");
        return response.writeHead(201).end("{}");
      });
      return;
    }
    const integrity = there.get(name);
    if (integrity === undefined) return void response.writeHead(404).end('{"error":"not_found"}');
    const dist = { integrity, tarball: "http://127.0.0.1/x.tgz" };
    const versions = { "1.0.0": { name, version: "1.0.0", dist } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions }));
  });
  await new Promise<void>((resolve) => void registry.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void registry.close());
  const address = `127.0.0.1:${(registry.address() as AddressInfo).port}`;

  const folder = temporary();
  const home = temporary();
  writeFileSync(join(home, ".npmrc"), `//${address}/:_authToken=token-of-the-test\nfetch-retries=0\n`);
  const pack = (name: string, description: string): string => {
    const place = join(folder, name);
    mkdirSync(place, { recursive: true });
    const manifest = { name: `@margay/${name}`, version: "1.0.0", description };
    writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
    const { stdout } = spawnSync("npm", ["pack", "--json", "--pack-destination", folder], {
      cwd: place,
      encoding: "utf8",
    });
    const [{ filename, integrity }] = JSON.parse(stdout) as [{ filename: string; integrity: string }];
    return JSON.stringify({ name: manifest.name, version: "1.0.0", tarball: join(folder, filename), integrity });
  };
  const publish = (...packed: readonly string[]): Promise<unknown> =>
    ask(`
      const env = { ...process.env, HOME: ${JSON.stringify(home)}, npm_config_userconfig: ${JSON.stringify(join(home, ".npmrc"))}, npm_config_cache: ${JSON.stringify(join(home, "cache"))} };
      const told = [];
      try { publish.publishAll([${packed.join()}], { env, registry: "http://${address}/", provenance: false, say: (line) => told.push(line) }); }
      catch (error) { told.push(error.message.split("\\n")[0]); }
      console.log(JSON.stringify(told));`);

  const all = ["one", "two", "three"].map((name) => pack(name, "first"));
  expect(await publish(...all)).toEqual([
    "@margay/one@1.0.0 published",
    "@margay/two@1.0.0 was not published; the same command goes on here.",
  ]);
  expect([...there.keys()]).toEqual(["@margay/one"]);
  expect(await publish(...all)).toEqual([
    "@margay/one@1.0.0 is there already",
    "@margay/two@1.0.0 published",
    "@margay/three@1.0.0 published",
  ]);
  expect(await publish(pack("one", "changed"))).toEqual([
    expect.stringMatching(/^@margay\/one@1\.0\.0 is on the registry with other contents/),
  ]);
});

test("nothing is published from a checkout that the forge does not know, or whose changelog is silent", async () => {
  const { GITHUB_REPOSITORY: _, ACTIONS_ID_TOKEN_REQUEST_URL: __, ...env } = process.env;
  const { code, out, err } = await node(join(root, "scripts/release.mjs"), ["--publish"], env);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("GITHUB_REPOSITORY is not set (OWNER/NAME)");
  expect(err).toContain("only a workflow with `id-token: write` can vouch");
});
