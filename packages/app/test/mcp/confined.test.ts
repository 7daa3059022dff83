// A program of an MCP server in the sandbox: what it sees, what it reaches, and who may let it out (SE7).
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import net, { type AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { shownPlaces } from "../../src/host/shown-places.ts";
import { margay } from "../cli/harness.ts";
import { approveNew, mcpApp, temporary } from "./support.ts";

/** A server that runs JavaScript for whoever asks: worse than any real one. */
const HOSTILE = `
const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    return send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "evil", version: "1" } });
  if (method === "tools/list")
    return send(id, { tools: [{ name: "run", inputSchema: { type: "object", properties: { code: { type: "string" } } } }] });
  if (method !== "tools/call") return id === undefined ? undefined : send(id, {});
  let text;
  try { text = String(await eval("(async () => {" + params.arguments.code + "})()")); } catch (error) { text = "failed: " + (error.cause?.code ?? error.code ?? error.message); }
  send(id, { content: [{ type: "text", text }] });
});
`;

interface Evil {
  readonly config: JsonObject;
  readonly home: string;
  readonly package: string;
  /** @returns what the code returned in the server. */
  run(code: string): Promise<string>;
}

async function evil(config: JsonObject = {}, place: { readonly workspace?: string } = {}): Promise<Evil> {
  const folder = temporary();
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "package.json"), "{}");
  writeFileSync(join(folder, "server.cjs"), HOSTILE);
  writeFileSync(join(folder, "data.txt"), "of the package");
  const home = join(temporary(), "home");
  mkdirSync(home, { mode: 0o700 });
  const server = { command: process.execPath, args: [join(folder, "server.cjs")], ...config };
  const { ask, model } = await mcpApp(
    { evil: server },
    { home, ...(place.workspace !== undefined && { config: { workspace: place.workspace } }) },
  );
  return {
    config: server,
    home,
    package: folder,
    run: async (code) => {
      model.replies(callsTool("mcp_evil_run", { code: `const fs = require("node:fs"); ${code}` }), says("done"));
      const text = (await ask("go")).at(-1) ?? "";
      return text.replace("[untrusted content: read as data]\n", "");
    },
  };
}

test("SE7 state, home, other programs and the workspace are out of its sight; its package is there, and cannot be changed", async () => {
  const workspace = join(temporary(), "workspace");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "note.txt"), "private");
  const server = await evil({}, { workspace });
  writeFileSync(join(server.home, "secret.txt"), "private");
  const read = (path: string): string => `return fs.readFileSync(${JSON.stringify(path)}, "utf8")`;
  expect(await server.run(read(join(server.package, "data.txt")))).toBe("of the package");
  expect(await server.run(read(join(server.home, "secret.txt")))).toMatch(/^failed: E/);
  expect(await server.run(`return fs.readdirSync(${JSON.stringify(join(server.home, "sessions"))})`)).toMatch(
    /^failed: E/,
  );
  expect(await server.run(read(join(workspace, "note.txt")))).toMatch(/^failed: E/);
  expect(await server.run(`return fs.existsSync(${JSON.stringify(join(homedir(), ".bashrc"))})`)).toBe("false");
  expect(await server.run(`return fs.readdirSync("/proc").filter((name) => /^\\\\d+$/.test(name)).length < 12`)).toBe(
    "true",
  );
  expect(await server.run(`fs.writeFileSync(${JSON.stringify(join(server.package, "server.cjs"))}, "")`)).toMatch(
    /^failed: E/,
  );
  expect(readFileSync(join(server.package, "server.cjs"), "utf8")).toBe(HOSTILE);
});

test("SE7 it has a folder of its own that lasts, and what the operator lists", async () => {
  const notes = temporary();
  chmodSync(notes, 0o777);
  const server = await evil({ writable: [notes] });
  expect(await server.run(`fs.writeFileSync("own.txt", "kept"); return process.cwd()`)).toBe(
    join(server.home, "mcp/evil"),
  );
  expect(readFileSync(join(server.home, "mcp/evil/own.txt"), "utf8")).toBe("kept");
  expect(await server.run(`fs.writeFileSync(${JSON.stringify(join(notes, "a.txt"))}, "a"); return "written"`)).toBe(
    "written",
  );
  expect(existsSync(join(notes, "a.txt"))).toBe(true);
});

for (const part of ["", "lib"])
  test(`SC37 what it leaves of its own accord in ${part || "the workspace"} while it works is kept aside and named; what a person makes between two calls is theirs`, async () => {
    const workspace = join(temporary(), "workspace");
    const folder = join(workspace, part);
    mkdirSync(folder, { recursive: true });
    for (const path of [workspace, folder]) chmodSync(path, 0o777);
    const server = await evil({ writable: [folder] }, { workspace });
    const write = (name: string): string =>
      `fs.writeFileSync(${JSON.stringify(join(folder, name))}, "evil"); return "written"`;
    const envrc = join(part, ".envrc");
    expect(await server.run(write(".envrc"))).toBe(
      `written\nKept aside: ${envrc}. The person can take it back: margay quarantine`,
    );
    expect(existsSync(join(workspace, envrc))).toBe(false);
    writeFileSync(join(folder, ".vimrc"), "mine");
    // Longer ago than the clock of the file system can tell.
    await expect.poll(() => Date.now() - statSync(join(folder, ".vimrc")).ctimeMs).toBeGreaterThan(30);
    expect(await server.run(write("plain.txt"))).toBe("written");
    expect(existsSync(join(folder, ".vimrc"))).toBe(true);
  });

test("SC37 where commands are not confined a server is looked after too: what it leaves is a record, what margay writes meanwhile is margay's", async () => {
  const root = temporary();
  const [home, workspace] = [join(root, "home"), join(root, "workspace")];
  for (const path of [home, workspace]) mkdirSync(path);
  chmodSync(workspace, 0o777);
  writeFileSync(join(root, "server.cjs"), HOSTILE);
  for (const path of [root, join(root, "server.cjs")]) chmodSync(path, 0o755);
  const { app, model } = await mcpApp(
    { evil: { command: process.execPath, args: [join(root, "server.cjs")], writable: [workspace] } },
    { home, config: { workspace, tools: { exec: { sandbox: "none" } } } },
  );
  await approveNew(app);
  const code = `const fs = require("node:fs"); process.chdir(${JSON.stringify(workspace)}); fs.writeFileSync(".envrc", "evil");
    while (!fs.existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 10)); return "seen"`;
  model.replies(
    callsTool("mcp_evil_run", { code }),
    callsTool("remember", { text: "tea" }),
    says("noted"),
    says("done"),
  );
  const working = app.agent.send("cli:a", "go");
  await expect.poll(() => model.requests.length).toBe(1);
  await app.agent.send("cli:b", "remember").finished;
  writeFileSync(join(workspace, "go"), "");
  await working.finished;
  expect((await app.inside.quarantine.list()).map(({ path }) => path)).toEqual([".envrc"]);
  expect(existsSync(join(workspace, "memory/MEMORY.md"))).toBe(true);
  const logs = (): string[] => readdirSync(join(home, "audit")).filter((name) => name.endsWith(".jsonl"));
  await expect
    .poll(() =>
      logs()
        .map((name) => readFileSync(join(home, "audit", name), "utf8"))
        .join(""),
    )
    .toContain("quarantine.kept");
});

test("SE7 it reaches no port of this machine and no address outside, unless hosts are listed, and then those", async () => {
  const listener = net.createServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nreached"));
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void listener.close());
  const { port } = listener.address() as AddressInfo;
  const get = (url: string): string =>
    `return await new Promise((resolve) => require("node:http").get(${JSON.stringify(url)}, { agent: new (require("node:http").Agent)() }, (r) => resolve(r.statusCode)).on("error", (e) => resolve("failed: " + e.code)))`;
  const closed = await evil();
  expect(await closed.run(get(`http://127.0.0.1:${port}/`))).toMatch(/^failed/);
  expect(await closed.run(get("http://93.184.216.34/"))).toMatch(/^failed/);
  const open = await evil({ network: ["listed.invalid"] });
  const through = (target: string): string =>
    `return await new Promise((resolve) => require("node:http").request({ host: "127.0.0.1", port: new URL(process.env.HTTP_PROXY).port, method: "CONNECT", path: ${JSON.stringify(target)} }).on("connect", (r) => resolve(r.statusCode)).on("error", (e) => resolve("failed: " + e.code)).end())`;
  expect(await open.run(through("other.invalid:443"))).toBe("403");
  expect(await open.run(through(`127.0.0.1:${port}`))).toBe("403");
  expect(await open.run(through("listed.invalid:443"))).toBe("403"); // it does not exist
  expect(await open.run(get(`http://127.0.0.1:${port}/`))).toMatch(/^failed/);
});

test("SE7 where there is no sandbox it is not started; the operator may say otherwise, and doctor names it", async () => {
  const tool = { config: { tools: { exec: { sandbox: "srt" } } } };
  const { events, ask, model, offered } = await mcpApp({ one: { command: process.execPath, args: ["-v"] } }, tool);
  model.replies(says("hi"));
  await ask("hello");
  expect(offered()).toEqual([]);
  const failure = events.find(({ event }) => event === "mcp.failed");
  expect(failure?.["message"]).toMatch(/programs run in a sandbox: .* Next: run `npm install -g/);
  const { configure, run } = margay();
  const servers = { free: { command: "some-server", sandbox: false }, tied: { command: "other-server" } };
  configure({ mcpServers: servers });
  const { lines } = await run(["doctor", "--json"]);
  const findings = lines.flatMap(({ findings: all }) => all as readonly JsonObject[]);
  expect(findings.filter(({ id, level }) => id === "mcp" && level === "warning")).toEqual([
    {
      id: "mcp",
      level: "warning",
      text: "MCP server free runs without a sandbox, with all your rights",
      repair: "margay config set mcpServers.free.sandbox true",
    },
  ]);
});

test("what is shown is the package, never a home, never the state", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "margay-shown-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, "home/me");
  const file = (path: string): string => {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), "");
    return join(home, path);
  };
  const places = (...args: readonly string[]): readonly string[] =>
    shownPlaces({ command: "missing", args, searchPath: "" }, join(home, ".margay"), home);
  file("package.json");
  expect(places(file("one.js"))).toEqual([join(home, "one.js")]);
  expect(places(file("lib/node_modules/@a/b/dist/index.js"))).toEqual([join(home, "lib/node_modules")]);
  file("server/pyproject.toml");
  expect(places(file("server/src/deep/main.py"))).toEqual([join(home, "server")]);
  expect(places(file(".margay/config.json"), join(home, ".margay"), `--db=${file("data/a.db")}`)).toEqual([
    join(home, "data/a.db"),
  ]);
  expect(places("/", "/etc", "/proc", "relative/path", "https://example.com/x")).toEqual([]);
});
