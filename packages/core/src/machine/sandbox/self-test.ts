// Tries to break out before anybody else does: what is planted outside must be out of reach, and a plain command must work.
import { never } from "../../lib/async/never.ts";
import { randomBytes } from "node:crypto";
import type { ExecFileException } from "node:child_process";
import fs from "node:fs";
import type { Server } from "node:net";
import { constants } from "node:os";
import { join } from "node:path";
import type { Clock, Millis } from "../../contract/base.ts";
import { makeDirectory } from "../files/files.ts";
import { shellPath } from "../process/shell-path.ts";
import { lastLine, speaksOfShortage } from "./faults.ts";
import type { ConfinedCommand, SandboxRequest } from "./sandbox.ts";

/** `failed` holds what the sandbox's own program said, when it did not even start. */
export type TestResult =
  | { readonly status: "passed" }
  | { readonly status: "leaked"; readonly what: string }
  /** A command can't enter the workspace, or not write to it. */
  | { readonly status: "closed" }
  | { readonly status: "failed"; readonly said: string }
  /** The machine had too little of something: this says nothing about the sandbox. */
  | { readonly status: "short"; readonly of: string };

const PATIENCE_MS = 20_000;
const REPEATS = 3;
const REPEATS_MS = 5_000;
/** Of the time that a repeated test has, this part is waited before: others need it to end. */
const PAUSE = 1 / 4;

/** Runs inside: says what it could reach. Written to be short, and to end whatever happens. */
const ATTEMPT = `
const { connect } = require("node:net"), { readFileSync } = require("node:fs");
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
  .then(() => { console.log("reached:" + reached.join(" and ")); process.exit(); });
`;

/**
 * Until it says something about the sandbox: one for which the machine had too little is made again, three times within five
 * seconds, in which the person waits who gave the first command.
 * @param test Gives up after so many milliseconds.
 */
export async function repeatWhenShort(
  test: (patienceMs: Millis) => Promise<TestResult>,
  clock: Pick<Clock, "monotonic" | "sleep">,
): Promise<TestResult> {
  let result = await test(PATIENCE_MS);
  const end = clock.monotonic() + REPEATS_MS;
  for (let left = REPEATS; left > 0 && result.status === "short"; left -= 1) {
    const share = (end - clock.monotonic()) / left;
    await clock.sleep(share * PAUSE, never());
    result = await test(Math.ceil(share * (1 - PAUSE)));
  }
  return result;
}

/**
 * A command as any other, in the workspace that commands work in. It leaves nothing there, whenever it is killed.
 * @param directory Of the state: the file is planted there, where the most valuable ones are.
 * @param wrap The driver under test.
 * @param patienceMs Ended after this time.
 */
export async function testSandbox(
  directory: string,
  workspace: string,
  wrap: (request: SandboxRequest) => Promise<ConfinedCommand | string>,
  patienceMs: Millis,
): Promise<TestResult> {
  const name = `margay-${randomBytes(8).toString("hex")}`;
  const secret = join(directory, name);
  makeDirectory(directory);
  fs.writeFileSync(secret, name, { mode: 0o644 });
  const servers: Server[] = [];
  try {
    const port = portOf(await listen(servers, { host: "127.0.0.1", port: 0 }));
    if (process.platform === "linux") await listen(servers, { path: `\0${name}` });
    const confined = await wrap({
      workspace,
      directory: workspace,
      argv: [shellPath(), "-c", COMMAND, process.execPath, ATTEMPT, secret, String(port), name],
      environment: { PATH: "/usr/bin:/bin" },
      readable: [process.execPath],
    });
    if (typeof confined === "string") return { status: "failed", said: confined };
    const said = await run(confined.argv, confined.environment, { cwd: workspace, timeout: patienceMs });
    return verdict(said);
  } finally {
    for (const server of servers) server.close();
    fs.rmSync(secret, { force: true });
  }
}

function verdict({ output, errors, lack }: Said): TestResult {
  if (output.startsWith("closed") || /\bcd: /.test(errors)) return { status: "closed" };
  const reached = /^works\nreached:(.*)$/m.exec(output)?.[1];
  if (reached === undefined && lack !== undefined) return { status: "short", of: lack };
  if (reached === undefined) return { status: "failed", said: errors.trim() || output };
  return reached === "" ? { status: "passed" } : { status: "leaked", what: `a command reached ${reached}` };
}

const COMMAND = '[ -w . ] || { echo closed; exit; }; echo works && exec "$0" -e "$@"';

interface Said {
  readonly output: string;
  readonly errors: string;
  /** What it ended of when nothing else is known: too little time, memory or processes. */
  readonly lack: string | undefined;
}

async function run(
  [program, ...rest]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  place: { readonly cwd: string; readonly timeout: Millis },
): Promise<Said> {
  const { execFile } = process.getBuiltinModule("node:child_process");
  return await new Promise((resolve) => {
    const options = { ...place, env: { ...env }, killSignal: "SIGKILL" as const };
    const child = execFile(program, rest, options, (error, output, errors) =>
      resolve({ output, errors: errors || (error?.message ?? ""), lack: lackOf(error, errors, place.timeout) }),
    );
    child.stdin?.end();
  });
}

/** The message of a failed command is not looked at: it repeats the command, whose words are anybody's. */
function lackOf(error: ExecFileException | null, errors: string, patienceMs: Millis): string | undefined {
  if (error === null) return undefined;
  if (error.killed === true) return `no answer within ${Math.round(patienceMs / 100) / 10} s`;
  if (typeof error.code === "string" && speaksOfShortage(error.code)) return error.code;
  if (speaksOfShortage(errors)) return lastLine(errors);
  // Nobody but the system does that: memory was short. Inside, bubblewrap tells it as a shell does.
  return error.signal === "SIGKILL" || error.code === KILLED ? "it was killed" : undefined;
}

const KILLED = 128 + constants.signals.SIGKILL;

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
