// Tries to break out before anybody else does: what is planted outside must be out of reach, and a plain command must work.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import type { Server } from "node:net";
import { join } from "node:path";
import { makeDirectory } from "../platform/files.ts";
import { shellPath } from "../platform/shell-path.ts";
import type { ConfinedCommand, SandboxRequest } from "./sandbox.ts";

/** `failed` holds what the sandbox's own program said, when it did not even start. */
export type TestResult =
  | { readonly status: "passed" }
  | { readonly status: "leaked"; readonly what: string }
  | { readonly status: "failed"; readonly said: string };

const PATIENCE_MS = 20_000;

/** Runs inside: says what it could reach. Written to be short, and to end whatever happens. */
const ATTEMPT = `
const { connect } = require("node:net"), { readFileSync, writeFileSync } = require("node:fs");
const [file, port, name] = process.argv.slice(1);
const reached = [];
try { readFileSync(file); reached.push("a file outside"); } catch {}
const attempt = (what, options) => new Promise((done) => {
  const socket = connect(options);
  socket.on("connect", () => { reached.push(what); socket.destroy(); done(); });
  socket.on("error", done);
  setTimeout(done, 1000).unref();
});
attempt("a port of this machine", { host: "127.0.0.1", port: Number(port) })
  .then(() => process.platform === "linux" ? attempt("an abstract socket", "\\0" + name) : undefined)
  .then(() => { writeFileSync("written", ""); console.log("reached:" + reached.join(" and ")); process.exit(); });
`;

/**
 * @param directory Of the state: the file is planted there, where the most valuable ones are.
 * @param wrap The driver under test.
 */
export async function testSandbox(
  directory: string,
  wrap: (request: SandboxRequest) => Promise<ConfinedCommand>,
): Promise<TestResult> {
  const name = `margay-${randomBytes(8).toString("hex")}`;
  const probe = join(directory, name);
  const workspace = join(probe, "workspace");
  const secret = join(probe, "outside");
  makeDirectory(workspace);
  fs.writeFileSync(secret, name, { mode: 0o644 });
  fs.chmodSync(workspace, 0o777);
  const servers: Server[] = [];
  try {
    const port = portOf(await listen(servers, { host: "127.0.0.1", port: 0 }));
    if (process.platform === "linux") await listen(servers, { path: `\0${name}` });
    const { argv, environment } = await wrap({
      workspace,
      directory: workspace,
      argv: [
        shellPath(),
        "-c",
        'echo works && exec "$0" -e "$@"',
        process.execPath,
        ATTEMPT,
        secret,
        String(port),
        name,
      ],
      environment: { PATH: "/usr/bin:/bin" },
      readable: [process.execPath],
    });
    const { output, errors } = await run(argv, environment, workspace);
    const reached = /^works\nreached:(.*)$/m.exec(output)?.[1];
    if (reached === undefined) return { status: "failed", said: errors.trim() || output };
    if (reached !== "") return { status: "leaked", what: `a command reached ${reached}` };
    if (!fs.existsSync(join(workspace, "written")))
      return { status: "failed", said: "a command could not write to the workspace" };
    return { status: "passed" };
  } finally {
    for (const server of servers) server.close();
    fs.rmSync(probe, { recursive: true, force: true });
  }
}

async function run(
  [program, ...rest]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<{ readonly output: string; readonly errors: string }> {
  const { execFile } = process.getBuiltinModule("node:child_process");
  return await new Promise((resolve) => {
    const options = { cwd, env: { ...env }, timeout: PATIENCE_MS, killSignal: "SIGKILL" as const };
    const child = execFile(program, rest, options, (error, output, errors) =>
      resolve({ output, errors: errors || (error?.message ?? "") }),
    );
    child.stdin?.end();
  });
}

async function listen(servers: Server[], options: { host?: string; port?: number; path?: string }): Promise<Server> {
  const { createServer } = process.getBuiltinModule("node:net");
  const server = createServer((socket) => socket.destroy()).unref();
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, resolve);
  });
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
