/** A program of the operator: bytes in, bytes out. No shell, a clean environment, and the sandbox where commands have one. */
import fs from "node:fs";
import { RuntimeError } from "@margay/core";
import { makeDirectory, messageOf, type Sandbox, type SandboxHold } from "@margay/core/internal";
import { findProgram, shownPlaces } from "../../host/shown-places.ts";

export interface ProgramOptions {
  /** Absent: the operator wants programs to run with all rights. */
  readonly sandbox?: Pick<Sandbox, "wrap" | "hold">;
  /** Its own; made when it is not there. */
  readonly folder: string;
  /** The state directory, which no program sees. */
  readonly state: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** More than minutes of the thickest sound. */
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
/** Of what it said on standard error, the end. */
const SAID_CHARS = 300;

/** @returns what it wrote to its standard output. @throws RuntimeError `speech.failed`; `signal.reason` when aborted. */
export async function runProgram(
  argv: readonly [string, ...string[]],
  input: Uint8Array,
  options: ProgramOptions,
  signal: AbortSignal,
): Promise<Uint8Array> {
  signal.throwIfAborted();
  await using program = await prepare(argv, options);
  signal.throwIfAborted();
  const { spawn } = process.getBuiltinModule("node:child_process");
  const [command, ...args] = program.argv;
  const child = spawn(command, args, {
    cwd: options.folder,
    env: { ...program.environment },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    shell: false,
  });
  const end = (): void => killGroup(child.pid);
  signal.addEventListener("abort", end, { once: true });
  try {
    const started = Promise.withResolvers<void>();
    child.once("spawn", () => started.resolve());
    child.once("error", (error) => started.reject(failed(argv[0], `could not be started (${messageOf(error)})`)));
    await started.promise;
    program.hold(child.pid ?? 0, end).catch(end); // nobody watches what it takes
    child.stdin.on("error", () => {}); // it reads no more: what it says of that comes below
    child.stdin.end(input);
    const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
    const output: Uint8Array[] = [];
    let size = 0;
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) end();
      else output.push(chunk);
    });
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => {
      said = `${said}${text}`.slice(-SAID_CHARS);
    });
    const code = await ended;
    signal.throwIfAborted();
    if (size > MAX_OUTPUT_BYTES) throw failed(argv[0], `wrote more than ${MAX_OUTPUT_BYTES} bytes`);
    if (code !== 0)
      throw failed(argv[0], `ended with ${code ?? "a signal"}${said.trim() === "" ? "" : `: ${said.trim()}`}`);
    if (size === 0) throw failed(argv[0], "wrote nothing");
    return Buffer.concat(output);
  } finally {
    signal.removeEventListener("abort", end);
    end(); // what it left behind
  }
}

interface Prepared extends AsyncDisposable {
  readonly argv: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  hold(pid: number, exceeded: () => void): Promise<void>;
}

async function prepare(
  argv: readonly [string, ...string[]],
  { sandbox, folder, state, environment }: ProgramOptions,
): Promise<Prepared> {
  const [command, ...args] = argv;
  makeDirectory(folder);
  const searchPath = environment["PATH"] ?? "";
  if (findProgram(command, searchPath) === undefined) throw failed(command, "is not installed");
  if (sandbox === undefined)
    return { argv, environment, hold: () => Promise.resolve(), [Symbol.asyncDispose]: () => Promise.resolve() };
  const own = fs.realpathSync(folder);
  const confined = await sandbox.wrap({
    workspace: own,
    directory: own,
    argv,
    environment,
    readable: shownPlaces({ command, args, searchPath }, state, environment["HOME"]),
  });
  if (typeof confined === "string") throw failed(command, `runs in a sandbox, and ${confined}`);
  let held: Promise<SandboxHold> | undefined;
  return {
    argv: confined.argv,
    environment: confined.environment,
    hold: async (pid, exceeded) => {
      held ??= sandbox.hold(confined.lease, pid);
      await (
        await held
      ).exceeded;
      exceeded();
    },
    [Symbol.asyncDispose]: async () => (await (held ?? sandbox.hold(confined.lease, 0)))[Symbol.dispose](),
  };
}

function failed(command: string, what: string): RuntimeError {
  return new RuntimeError("speech.failed", `${command} ${what}. Check speech.command.`, { details: { command } });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of the group is left: that is what was wanted.
  }
}
